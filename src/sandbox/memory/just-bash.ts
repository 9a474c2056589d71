/** The interpreter's module; types only, so that nothing is loaded before the first command. */
export type JustBash = typeof import('just-bash');

let loading: Promise<JustBash> | null = null;

/** Loads the interpreter (about 60 ms) once per process, when a command first needs it. */
export function loadJustBash(): Promise<JustBash> {
  loading ??= import('just-bash');
  return loading;
}
