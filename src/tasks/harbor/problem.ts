import { LongrunError } from '../../core/errors.js';

/** One thing that is wrong with a task folder. */
export interface TaskProblem {
  file: string;
  /** Counts from 1; null = the file as a whole, or it is missing. */
  line: number | null;
  found: string | null;
  accepted: string | null;
  /** What is wrong, without the place. */
  message: string;
}

const SHOWN = 8;

/** `file:line: message (found …; accepted: …)`. */
export function describeProblem(problem: TaskProblem): string {
  const place = problem.line === null ? problem.file : `${problem.file}:${problem.line}`;
  const found = problem.found === null ? [] : [`found ${problem.found}`];
  const accepted = problem.accepted === null ? [] : [`accepted: ${problem.accepted}`];
  const both = [...found, ...accepted].join('; ');
  return `${place}: ${problem.message}${both === '' ? '' : ` (${both})`}`;
}

/** The error of a task folder that cannot be used: every problem in `details.problems`. Exit code 2. */
export function taskInvalid(dir: string, problems: readonly TaskProblem[]): LongrunError {
  const shown = problems.slice(0, SHOWN).map(describeProblem);
  const rest = problems.length - shown.length;
  const lines = rest > 0 ? [...shown, `and ${rest} more`] : shown;
  const message =
    lines.length === 1
      ? (lines[0] as string)
      : `${dir} has ${problems.length} problems:\n${lines.map((line) => `  ${line}`).join('\n')}`;
  return new LongrunError('task_invalid', message, {
    hint: `Check it with: longrun tasks validate ${dir}`,
    details: { problems: [...problems] },
  });
}

/** A value as it is shown in a problem: JSON, cut. */
export function shown(value: unknown): string | null {
  if (value === undefined) return null;
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
