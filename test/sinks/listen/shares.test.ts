import { expect, test } from 'vitest';
import type { Entry, ListenerState } from '../../../src/sinks/listen/listener.schema.js';
import { emptyState, nextBatch } from '../../../src/sinks/listen/listener-state.js';
import { Listening, listeningRun, posted } from './support/listening.js';

/** Environments by their shares, and what waits: `0:4` are four sequences of the first one, `-:4` of the run itself. */
function state(
  batchSize: number,
  shares: (number | null)[],
  queue: string,
  gone: number[] = [],
): ListenerState {
  const env = { maxTokenLength: 512, desiredName: 'e', weight: 1, groupSize: 4 };
  const registration = { wandbGroup: '', wandbProject: '', checkpointDir: '', saveCheckpointInterval: 0 };
  return {
    ...emptyState(),
    registration: { ...registration, batchSize, maxTokenLen: 512, startingStep: 0, numSteps: 9 },
    envs: shares.map((minBatchAllocation, i) => ({
      ...{ ...env, minBatchAllocation },
      connected: !gone.includes(i),
    })),
    queue: queue.split(' ').map((word, i): Entry => {
      const [envId, size] = word.split(':').map((part) => (part === '-' ? null : Number(part)));
      const item = { id: `${i}`, size: size as number, envId: envId ?? null, groupId: null, policy: null };
      return { items: [item], size: size as number, deliveries: 0 };
    }),
  };
}

test.each<[string, ListenerState, number[] | null]>([
  ['without shares the oldest go first', state(8, [null, null], '0:4 0:4 1:4'), [0, 1]],
  ['an environment with a share is in each batch', state(8, [null, 0.5], '0:4 0:4 1:4'), [0, 2]],
  ['also beside the groups of the run', state(8, [0.25], '-:4 -:4 0:4'), [0, 2]],
  ['nothing is handed out while it has nothing', state(8, [null, 0.5], '0:4 0:4 0:4'), null],
  ['what it has counts, where that is less', state(12, [null, 1], '0:4 0:4 1:4'), [0, 1, 2]],
  ['a share of less than a sequence is none', state(8, [null, 0.1], '0:4 0:4'), [0, 1]],
  ['one that took its leave has none', state(8, [null, 0.5], '0:4 0:4', [1]), [0, 1]],
  ['shares of more than a batch are cut in proportion', state(8, [1, 1], '0:4 0:4 1:4'), [0, 2]],
  ['what is left is filled exactly', state(12, [null, 0.3], '0:6 0:4 1:4 0:4'), [1, 2, 3]],
  ['also with less than its share', state(12, [0.4, null], '0:2 0:2 0:2 1:4 1:4'), [0, 1, 3, 4]],
  ['and waits where it cannot be', state(12, [null, 0.3], '0:6 1:4'), null],
])('%s', (_what, given, batch) => {
  expect(nextBatch(given)?.map(Number) ?? null).toEqual(batch);
});

const ENV = { max_token_length: 512, desired_name: 'e', weight: 1, group_size: 4 };

test('a full queue lets in what its batches wait for', async () => {
  const listening = await Listening.start(await listeningRun({ groupSize: 4, serve: { maxQueue: 2 } }));
  await listening.register(8);
  await listening.batch(0);
  await listening.post('/register-env', ENV);
  await listening.post('/register-env', { ...ENV, min_batch_allocation: 0.5 });
  const post = async (envId: number, first: number) =>
    (await listening.send('/scored_data', { ...posted(4, first), env_id: envId })).status;
  expect([await post(0, 1), await post(0, 2), await post(0, 3)]).toEqual([200, 200, 503]);
  expect(await listening.batch(0)).toEqual({ batch: null });
  expect([await post(1, 4), await post(1, 5)]).toEqual([200, 503]);
  expect((await listening.batch(0)).batch?.map(({ tokens }) => tokens[0]?.[0])).toEqual([1, 4]);
});
