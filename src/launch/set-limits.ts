import { limitsMoney } from '../core/budget/budget-ceilings.js';
import { badInput, LongrunError } from '../core/errors.js';
import { amendedConfig, type LimitChanges } from '../core/run/limits.js';
import type { RunConfig } from '../core/run/run-config.schema.js';
import { hasWorker } from '../hosts/worker-presence.js';
import { requirePrice } from '../model/require-price.js';
import { readClosedRun } from '../records/write-summary.js';
import { openSession, type SessionOptions } from '../runs/session.js';
import { openStore } from '../store/index.js';
import { amendLimits } from '../store/limits.js';
import { readRun } from '../store/runs.js';
import type { RunProgress } from '../temporal/run-client.js';

export interface SetLimits {
  /** The settings as they are now. */
  config: RunConfig;
  /** What the run was doing before; null when its cluster does not know it. */
  before: RunProgress | null;
  /** Whether a worker is there to act on it. */
  worked: boolean;
}

/**
 * Changes the limits of a run; of one that has ended, the budgets that its replays have. One that its budget has
 * paused goes on when that was raised.
 * Errors: `bad_input`, `not_found`.
 */
export async function setLimits(
  options: SessionOptions & { now: () => number },
  runId: string,
  changes: LimitChanges,
): Promise<SetLimits> {
  const { config } = await checkChanges(options, runId, changes);
  const session = await openSession(options);
  try {
    await amendLimits(session.store, runId, changes, options.now);
    const before = await session.runs.progress(runId);
    if (before !== null && ['running', 'paused', 'draining'].includes(before.status)) {
      await session.runs.amend(runId, config, raisesBudget(changes));
      if (changes.concurrency !== null) await session.runs.setConcurrency(runId, changes.concurrency);
    }
    return { config, before, worked: await hasWorker(session) };
  } finally {
    await session.close();
  }
}

/** Everything that can be wrong is found before anything is written. */
async function checkChanges(
  { stateDir, env }: SessionOptions,
  runId: string,
  changes: LimitChanges,
): Promise<{ config: RunConfig }> {
  const store = await openStore(stateDir, env);
  const run = await readRun(store, runId);
  if (Object.values(changes).every((value) => value === null))
    throw badInput(
      'There is nothing to set: no limit was given.',
      `Name one, for example: longrun runs set ${runId} --budget-usd 20`,
    );
  const closed = await readClosedRun(store, runId);
  const { concurrency, weight, priority } = changes;
  // What a run that has ended may spend counts for its replays.
  if (closed !== null && [concurrency, weight, priority].some((value) => value !== null))
    throw new LongrunError('not_found', `Run ${runId} is not open: it is ${closed.status}.`, {
      hint: `Look at it with: longrun runs show ${runId}`,
      details: { runId },
    });
  const config = amendedConfig(run.config, [changes]);
  if (limitsMoney(config)) requirePrice(config);
  return { config };
}

function raisesBudget({ concurrency: _, weight: __, priority: ___, ...budgets }: LimitChanges): boolean {
  return Object.values(budgets).some((value) => value !== null);
}
