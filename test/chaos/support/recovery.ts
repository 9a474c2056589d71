import { appendFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { AttemptKey } from '../../../src/core/ids.js';
import { keys } from '../../../src/store/keys.js';
import { until } from '../../support/until.js';
import { atWork } from './at-work.js';
import type { ChaosRun } from './chaos-run.js';

/** One line of the file that LONGRUN_CHAOS_TIMES names; docs/reliability.md is written from it. */
interface RecoveryLine {
  row: string;
  /** Seconds from the fault until the first and the last rollout that was at work has moved on. */
  first_sec: number;
  all_sec: number;
  rollouts: number;
  cores: number;
}

/** What is recorded of an attempt: grows with each step of it. */
async function progressOf({ store }: ChaosRun, key: AttemptKey): Promise<number> {
  // It is over, or another attempt has a sandbox.
  for (const name of [keys.result(key), keys.placement({ ...key, attempt: key.attempt + 1 })])
    if ((await store.get(name)) !== null) return Number.POSITIVE_INFINITY;
  const turns = await store.children(keys.turns(key, 0));
  const last = Number(turns.at(-1) ?? 0);
  const marks = await Promise.all(
    [keys.call(key, 0, last), keys.agentEnd(key, 0), keys.verdict(key, 0)].map(async (name) =>
      (await store.get(name)) === null ? 0 : 1,
    ),
  );
  const tools = await store.children(`${keys.turn(key, 0, last)}/tools`);
  const results = await Promise.all(
    tools.map(async (_, i) => ((await store.get(keys.toolResult(key, 0, last, i))) === null ? 0 : 1)),
  );
  return [...marks, ...results].reduce((sum, mark) => sum + mark, turns.length * 100);
}

/**
 * Call it right after a kill, or when another fault strikes; the answer resolves once every rollout that was at work
 * then (or that `find` answers) has moved on, and notes how long that took.
 */
export async function watchRecovery(
  chaos: ChaosRun,
  row: string,
  find: () => Promise<AttemptKey[]> = () => atWork(chaos),
): Promise<() => Promise<void>> {
  const struckAt = Date.now();
  const interrupted = await find();
  if (interrupted.length === 0) throw new Error(`${row}: the fault strikes when no rollout is at work`);
  const before = new Map<AttemptKey, number>();
  for (const key of interrupted) before.set(key, await progressOf(chaos, key));
  const watched = untilMoved(chaos, row, before, struckAt);
  // Its failure is that of whoever asks for the answer.
  watched.catch(() => undefined);
  return async () => {
    write({ row, ...(await watched), rollouts: interrupted.length, cores: availableParallelism() });
  };
}

async function untilMoved(
  chaos: ChaosRun,
  row: string,
  before: ReadonlyMap<AttemptKey, number>,
  struckAt: number,
): Promise<Pick<RecoveryLine, 'first_sec' | 'all_sec'>> {
  let firstMs: number | null = null;
  const waiting = new Set(before.keys());
  const allMoved = async () => {
    for (const key of waiting) {
      const progress = await progressOf(chaos, key);
      if (progress <= (before.get(key) ?? 0) && Number.isFinite(progress)) continue;
      waiting.delete(key);
      firstMs ??= Date.now() - struckAt;
    }
    return waiting.size === 0;
  };
  await until(allMoved, { limitMs: 180_000, what: `every interrupted rollout of ${row} has moved on` });
  return { first_sec: seconds(firstMs ?? 0), all_sec: seconds(Date.now() - struckAt) };
}

/** Notes times (milliseconds) that are not those of rollouts that move on: the shortest and the longest. */
export function noteTimes(row: string, times: readonly number[]): void {
  write({
    row,
    first_sec: seconds(Math.min(...times)),
    all_sec: seconds(Math.max(...times)),
    rollouts: times.length,
    cores: availableParallelism(),
  });
}

function write(line: RecoveryLine): void {
  const file = process.env.LONGRUN_CHAOS_TIMES;
  if (file) appendFileSync(file, `${JSON.stringify(line)}\n`);
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10;
