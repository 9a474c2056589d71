import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '../../../src/core/time.js';
import { readClosedRun } from '../../../src/records/write-summary.js';
import { callAccounts } from '../../support/call-accounts.js';
import { brokenInvariants } from '../support/invariants.js';
import { endpointTrouble, FAULTS, type Strike } from './faults.js';
import type { Random } from './random.js';
import { type Stage, setStage } from './stage.js';

/** What two hosts get done in a minute while they are being struck; measured on two shared cores. */
const ROLLOUTS_PER_MINUTE = 20;
const LONG_OUTAGE_MS = 10 * MINUTE_MS;
/** After the last fault everything has this long to come to its end. */
const CALM_LIMIT_MS = 20 * MINUTE_MS;

export interface StressOptions {
  untilMs: number;
  longOutage: boolean;
  random: Random;
  say(line: string): void;
  /** Aborted by Ctrl-C: everything is taken down, nothing is checked. */
  signal: AbortSignal;
}

export interface StressResult {
  faults: number;
  rollouts: number;
  requests: number;
  lost: number;
  failed: number;
  broken: string[];
}

/** One run under random faults until `untilMs` (or its end), then calm until its end, then the invariants. */
export async function stressRun(runId: string, options: StressOptions): Promise<StressResult> {
  const { untilMs, say } = options;
  const minutes = Math.max(0, untilMs - Date.now()) / MINUTE_MS;
  const stage = await setStage(runId, minutes * ROLLOUTS_PER_MINUTE);
  try {
    const struck = await Promise.race([strikeUntil(stage, options), interrupted(options.signal)]);
    say(`calm: ${await stage.chaos.sealed()} rollouts are sealed`);
    await Promise.race([stage.chaos.finished(CALM_LIMIT_MS), interrupted(options.signal)]);
    const takeovers = struck.filter(({ takeover }) => takeover).length;
    const broken = await brokenInvariants(stage.chaos, {
      takeovers,
      failedCalls: Number.POSITIVE_INFINITY,
      attempts: 1 + takeovers,
    });
    const { lost, failed } = await callAccounts(stage.chaos.store, runId);
    return {
      faults: struck.length,
      rollouts: (await stage.chaos.rollouts()).length,
      requests: stage.chaos.endpoint.seen.length,
      lost: lost.length,
      failed: failed.length,
      broken,
    };
  } finally {
    await stage.close();
  }
}

async function strikeUntil(stage: Stage, options: StressOptions): Promise<Strike[]> {
  const { untilMs, random, say, longOutage } = options;
  const struck: Strike[] = [];
  const failed: string[] = [];
  const playing: Promise<void>[] = [];
  const strike = (one: Strike) => {
    say(one.name);
    struck.push(one);
    playing.push(
      one.play().catch((error: unknown) => {
        failed.push(`fault "${one.name}" could not be injected: ${String(error)}`);
      }),
    );
  };
  if (longOutage) {
    await sleep(30 * SECOND_MS);
    strike(endpointTrouble(stage, 'outage', LONG_OUTAGE_MS));
  }
  for (;;) {
    await sleep(random.between(3 * SECOND_MS, 15 * SECOND_MS));
    const over = (await readClosedRun(stage.chaos.store, stage.chaos.runId)) !== null;
    if (over || Date.now() >= untilMs) break;
    const one = random.pick(FAULTS)(stage, random);
    if (one !== null) strike(one);
  }
  await Promise.all(playing);
  if (failed.length > 0) throw new Error(failed.join('\n'));
  return struck;
}

function interrupted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(new Error('interrupted'));
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
}
