import { isTestRun, isWrite, subjectOf } from './call-kinds.js';
import type { Turn } from './turns.js';

/**
 * Turns that compression keeps word for word: writes that worked, the last test run, errors that were
 * fixed later together with what fixed them, turns with a reward of their own, and the last one.
 */
export function keyTurns(turns: readonly Turn[]): Set<number> {
  const key = new Set<number>([...fixedErrors(turns), ...lastTestRun(turns)]);
  for (const turn of turns) {
    const wrote = turn.calls.some((call) => !call.failed && isWrite(call));
    if (wrote || turn.rewarded) key.add(turn.index);
  }
  const last = turns.at(-1);
  if (last) key.add(last.index);
  return key;
}

function lastTestRun(turns: readonly Turn[]): number[] {
  const last = turns.findLast(({ calls }) => calls.some(isTestRun));
  return last ? [last.index] : [];
}

/** Of failures in a row about the same thing the last one, which is what the fix answers. */
function fixedErrors(turns: readonly Turn[]): number[] {
  const open = new Map<string, number>();
  return turns.flatMap(({ index, calls }) =>
    calls.flatMap((call) => {
      const subject = subjectOf(call);
      const failedAt = open.get(subject);
      if (call.failed) open.set(subject, index);
      else open.delete(subject);
      return call.failed || failedAt === undefined ? [] : [failedAt, index];
    }),
  );
}
