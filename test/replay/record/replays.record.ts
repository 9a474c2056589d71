import { replayRolloutWorkflowId, replayWorkflowId } from '../../../src/core/ids.js';
import { createReplay, planReplay } from '../../../src/replay/create-replay.js';
import { readRun } from '../../../src/store/runs.js';
import { ReplayClient } from '../../../src/temporal/replay-client.js';
import type { LongrunHost } from '../../support/longrun-host.js';
import { request } from '../../support/replaying.js';
import { closed, recordingsOn, SLOW, takenTurns, task } from './recordings.js';

const recording = recordingsOn((host) => host.startWorker({ sliceMs: 300 }));
const REPLAY = 'again';
const replayOf = (runId: string) => replayWorkflowId(runId, REPLAY);
const rolloutOf = (runId: string) =>
  replayRolloutWorkflowId({ runId, taskId: 'one', sample: 0 }, { replayId: REPLAY, nth: 1 });

/** Begins a replay, twice over, of a run that has ended; each replayed rollout takes about 3 s. */
async function begin(host: LongrunHost, runId: string): Promise<ReplayClient> {
  await host.plan(runId, [await task('one')], { ...SLOW, concurrency: 1 });
  await host.finish(runId);
  const run = await readRun(host.store, runId);
  const asked = request({ rollouts: ['one/0'], times: 2 });
  const selection = await planReplay(host.store, run, asked);
  await createReplay(host.store, run, asked, selection, {
    replayId: REPLAY,
    by: 'recorder',
    now: Date.now(),
  });
  const client = new ReplayClient(host.client, host.store);
  await client.start(runId, REPLAY);
  await takenTurns(host, runId, 2, 2);
  return client;
}

recording(
  'a replay that finishes',
  { 'replay-finished': replayOf('whole'), 'rollout-replayed': rolloutOf('whole') },
  async (host) => {
    await begin(host, 'whole');
    await closed(host, replayOf('whole'));
  },
);

recording(
  'a replay that is paused and carried on',
  { 'replay-paused': replayOf('paused'), 'rollout-replay-paused': rolloutOf('paused') },
  async (host) => {
    const client = await begin(host, 'paused');
    await client.pause('paused', REPLAY);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await client.start('paused', REPLAY);
    await closed(host, replayOf('paused'));
  },
);

recording(
  'a replay that is cancelled',
  { 'replay-cancelled': replayOf('stopped'), 'rollout-replay-cancelled': rolloutOf('stopped') },
  async (host) => {
    const client = await begin(host, 'stopped');
    await client.cancel('stopped', REPLAY);
    await closed(host, replayOf('stopped'));
  },
);
