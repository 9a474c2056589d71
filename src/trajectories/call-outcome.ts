import type { EpisodeTurn } from '../core/trajectory/episode.schema.js';

/** How results say in words that the call failed. */
const SAYS_FAILED = /^\s*(error\b|traceback \(most recent call last\)|fatal:)/i;

/** Whether a call failed: by its record where there is one, else by what its result says. */
export function callFailed(
  result: string | null,
  facts: EpisodeTurn['results'][number] | undefined,
): boolean {
  if (facts) return !facts.success || facts.error !== null || (facts.exitCode ?? 0) !== 0;
  if (result === null) return true;
  return SAYS_FAILED.test(result) || reportsFailure(result);
}

/** A JSON result with an error, without success or with an exit status. */
function reportsFailure(result: string): boolean {
  if (!result.trimStart().startsWith('{')) return false;
  try {
    const { error, success, exit_code: exitCode } = JSON.parse(result) as Record<string, unknown>;
    return (error ?? null) !== null || success === false || (typeof exitCode === 'number' && exitCode !== 0);
  } catch {
    return false;
  }
}
