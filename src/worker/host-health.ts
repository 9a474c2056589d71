import type { Client } from '@temporalio/client';
import type { ActivityDeps } from '../../activities/activity-deps.js';
import { SECOND_MS } from '../core/time.js';
import { keys } from '../store/keys.js';

const PATIENCE_MS = 5 * SECOND_MS;

/** What a host needs in order to work, each asked for real: null when it answered, else why not. */
export type HealthChecks = Record<'workers' | 'temporal' | 'store' | 'engine', string | null>;

/** Asks all of it at once, five seconds each. */
export async function checkHealth(
  { store, drivers, clusterId }: Pick<ActivityDeps, 'store' | 'drivers' | 'clusterId'>,
  client: Client,
  polling: boolean,
): Promise<HealthChecks> {
  const [temporal, kept, engine] = await Promise.all([
    troubleOf(() =>
      client.withDeadline(Date.now() + PATIENCE_MS, () => client.workflowService.getSystemInfo({})),
    ),
    troubleOf(() => store.get(keys.installation)),
    troubleOf(() => Promise.all([...drivers.values()].map((driver) => driver.list(clusterId)))),
  ]);
  return { workers: polling ? null : 'the workers have stopped polling', temporal, store: kept, engine };
}

async function troubleOf(ask: () => Promise<unknown>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${PATIENCE_MS / SECOND_MS} s`), PATIENCE_MS);
  });
  const answer = ask().then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
