import { expect, it } from 'vitest';
import { freePort } from '../../../src/machine/ports.js';
import { atroposSink } from '../../../src/sinks/atropos/index.js';
import { listenSink } from '../../../src/sinks/listen/http/index.js';
import { tempStore } from '../../store/temp-store.js';
import { until } from '../../support/until.js';
import { groupIds, Listening, listeningRun, posted } from '../listen/support/listening.js';
import { ServeRun } from '../support/serve-run.js';

const GROUP_SIZE = 2;

it('a listener of ours that starts again is known as the same: nothing is sent twice', async () => {
  const port = await freePort();
  const theirs = await listeningRun({
    ...{ runId: 'theirs', groupSize: GROUP_SIZE },
    serve: { listen: { host: '127.0.0.1', port } },
  });
  const run = await ServeRun.plan(await tempStore(), {
    groupSize: GROUP_SIZE,
    serve: { atropos: `http://127.0.0.1:${port}` },
  });
  const first = await Listening.start(theirs);
  await first.register(3 * GROUP_SIZE);
  await first.batch(0);
  const { context } = await run.executor('atropos');
  const options = { pollMs: 10, lingerMs: 50, retryMs: { first: 10, longest: 20 } };
  atroposSink(run.run, options)
    .run(context)
    .catch(() => undefined);
  await run.close();
  const queued = async (listening: Listening) =>
    (await listening.get<{ queue_size: number }>('/status')).queue_size;
  await until(async () => (await queued(first)) === 1);
  await first.stop();
  // At the same address, which `first` speaks to as well.
  void listenSink()(theirs.run)
    .run((await theirs.executor('listen')).context)
    .catch(() => undefined);
  await run.close();
  await until(async () => (await queued(first).catch(() => 0)) === 2);
  await first.post('/scored_data', posted(GROUP_SIZE, 1));
  const batch = await first.batch(0);
  expect(groupIds(batch)).toEqual(['run/t0/0', 'run/t1/0', undefined]);
});
