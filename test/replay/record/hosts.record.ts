import { rolloutWorkflowId } from '../../../src/core/ids.js';
import { keys } from '../../../src/store/keys.js';
import type { HostWorker } from '../../../src/worker/index.js';
import type { LongrunHost } from '../../support/longrun-host.js';
import { until } from '../../support/until.js';
import { recordingsOn, SLOW, takenTurns, task } from './recordings.js';

const recording = recordingsOn((host) => host.startWorker({ hostId: 'books', role: 'orchestrator' }));
const rolloutOf = (runId: string) => rolloutWorkflowId({ runId, taskId: 'one', sample: 0 });
const LOSS_MS = 1_000;

const startHost = (host: LongrunHost, hostId: string): Promise<HostWorker> =>
  host.startWorker({ hostId, role: 'host', sliceMs: 300 });

/** Begins runs on one host, which then goes away in the middle of them. */
async function leftBehind(host: LongrunHost, hostId: string, runs: Record<string, number>) {
  const leaving = await startHost(host, hostId);
  const ends = [];
  for (const [runId, maxAttempts] of Object.entries(runs)) {
    await host.plan(runId, [await task('one')], { ...SLOW, hostLossMs: LOSS_MS, maxAttempts });
    ends.push(host.finish(runId));
  }
  for (const runId of Object.keys(runs)) await takenTurns(host, runId, 2);
  await leaving.shutdown();
  return { ended: Promise.all(ends) };
}

recording(
  'a rollout whose only host is away past many expiries, and comes back',
  { 'rollout-host-away': rolloutOf('away') },
  async (host) => {
    const { ended } = await leftBehind(host, 'only', { away: 2 });
    await new Promise((resolve) => setTimeout(resolve, 5 * LOSS_MS));
    const back = await startHost(host, 'only');
    await ended;
    await back.shutdown();
  },
);

recording(
  'rollouts whose host never comes back: one moves to another host, one has no attempt left',
  { 'rollout-moved': rolloutOf('moved'), 'rollout-host-lost': rolloutOf('lost') },
  async (host) => {
    const { ended } = await leftBehind(host, 'gone', { moved: 2, lost: 1 });
    await startHost(host, 'stays');
    await ended;
    const second = { runId: 'moved', taskId: 'one', sample: 0, attempt: 2 };
    await until(async () => (await host.store.get(keys.placement(second))) !== null);
  },
);
