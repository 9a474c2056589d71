import { expect, test } from 'vitest';
import { LongrunError } from '../../../src/core/errors.js';
import { Listener, readScoredData } from '../../../src/sinks/listen/index.js';
import { tempStore } from '../../store/temp-store.js';
import { posted } from './support/listening.js';

test('an executor that a newer one has relieved queues no group of the run any more', async () => {
  const listener = await Listener.open({
    ...{ store: await tempStore(), prefix: 'l', maxQueue: 10, now: () => 1 },
    checkFence: async () => {
      throw new LongrunError('fenced', 'a newer one has begun');
    },
    atHandOut: async (_item, stored) => stored,
    onChange: () => {},
  });
  await expect(listener.queueOwn([readScoredData(posted(2, 1))])).rejects.toMatchObject({ code: 'fenced' });
  expect(listener.state.queue).toEqual([]);
});
