import { expect, it } from 'vitest';
import { feedGroup } from '../../../src/rollout/books/serve-book.js';
import { readSinkStatus } from '../../../src/sinks/sink-status.js';
import { readGroup } from '../../../src/store/groups.js';
import { tempStore } from '../../store/temp-store.js';
import { ServeRun } from '../support/serve-run.js';

it('shows what waits at a sink, what it is done with and what it says, while it works and afterwards', async () => {
  const serve = await ServeRun.plan(await tempStore(), { groupSize: 1 });
  const status = () => readSinkStatus(serve.store, serve.run, 'atropos');
  expect(await status()).toMatchObject({ queued: null, delivered: 0, policyVersion: null, lag: null });

  await serve.policies.tell({ version: '1', source: 'trainer' });
  const first = await serve.close({ policyVersion: '1' });
  const record = await readGroup(serve.store, first);
  if (record !== null) await feedGroup(serve.store, 'run', record);
  const [second] = await serve.closeMany(2);
  await serve.policies.tell({ version: '2', source: 'trainer' });
  const executor = await serve.executor('atropos');
  await executor.context.feed.closed();
  await executor.context.feed.read(first);
  executor.context.feed.settled(first, 'delivered', 1);
  if (second) executor.context.feed.settled(second, 'parked');
  executor.context.report({ note: 'waits for a trainer', counts: { sent: 1 } });
  await executor.close();
  await serve.close();
  expect(await status()).toMatchObject({
    ...{ queued: 2, delivered: 1, parked: 1, skipped: 0, masked: 1, lag: 1, policyVersion: '2' },
    ...{ note: 'waits for a trainer', counts: { sent: 1 } },
  });

  const next = await serve.executor('atropos');
  next.context.report({ queued: 9, note: null });
  await next.close();
  expect(await status()).toMatchObject({ queued: 9, delivered: 1, lag: 1, note: null, counts: { sent: 1 } });
});
