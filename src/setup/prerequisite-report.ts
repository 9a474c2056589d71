/** One line of `longrun doctor`. */
export interface PrerequisiteReport {
  name: string;
  /** `warning`: something works less well; `missing`: nothing runs without it. */
  status: 'ok' | 'warning' | 'missing';
  /** What was found, in a few words. */
  found: string;
  /** What to do about it; null when nothing is to be done. */
  fix: string | null;
}

export interface PrerequisiteOptions {
  stateDir: string;
  address?: string;
  namespace?: string;
  profile?: string;
  env?: NodeJS.ProcessEnv;
}
