import type { AttemptKey } from '../../../src/core/ids.js';
import { keys } from '../../../src/store/keys.js';
import { readRecord } from '../../../src/store/records/records.js';
import {
  type AttemptRecord,
  attemptRecordSchema,
  placementSchema,
} from '../../../src/store/records/records.schema.js';
import { readResult } from '../../../src/store/runs.js';
import { until } from '../../support/until.js';
import { atWork } from './at-work.js';
import type { ChaosRun } from './chaos-run.js';

/** The host that holds an attempt's sandbox; null before it is placed. */
export async function hostOf({ store }: Pick<ChaosRun, 'store'>, key: AttemptKey): Promise<string | null> {
  return (await readRecord(store, placementSchema, keys.placement(key)))?.hostId ?? null;
}

/** Attempts that are at work on a host now. */
export async function atWorkOn(chaos: ChaosRun, hostId: string): Promise<AttemptKey[]> {
  const found = await atWork({ store: chaos.store, rollouts: () => chaos.rollouts() });
  const hosts = await Promise.all(found.map((key) => hostOf(chaos, key)));
  return found.filter((_, i) => hosts[i] === hostId);
}

/** Waits until at least so many attempts are at work on a host; answers them. */
export async function busy(chaos: ChaosRun, hostId: string, least = 2): Promise<AttemptKey[]> {
  let found: AttemptKey[] = [];
  const enough = async () => {
    found = await atWorkOn(chaos, hostId);
    return found.length >= least;
  };
  await until(enough, { what: `${least} rollouts are at work on ${hostId}` });
  return found;
}

export function attemptOf({ store }: ChaosRun, key: AttemptKey): Promise<AttemptRecord | null> {
  return readRecord(store, attemptRecordSchema, keys.attemptRecord(key));
}

/** Waits until every attempt has been given up as its host's loss, or ended in time; answers those given up. */
export async function givenUp(chaos: ChaosRun, attempts: readonly AttemptKey[]): Promise<AttemptKey[]> {
  const lost = new Map<AttemptKey, boolean>();
  const all = async () => {
    for (const key of attempts) {
      const record = await attemptOf(chaos, key);
      if (record !== null) lost.set(key, record.failure?.code === 'host_lost');
      else if ((await readResult(chaos.store, key)) !== null) lost.set(key, false);
    }
    return lost.size === attempts.length;
  };
  await until(all, { limitMs: 150_000, what: 'every attempt of the lost host is given up' });
  return attempts.filter((key) => lost.get(key));
}
