import { expect, it } from 'vitest';
import { Executors } from '../../activities/executors.js';
import { Detached, mayGoOn } from '../../src/core/rollout/lifecycle.js';
import { lifecycle } from '../support/rollout-deps.js';

const ATTEMPT = 'run/one/0/1';

it('a newer executor of an attempt stops the older one and waits until that has recorded its call', async () => {
  const executors = new Executors();
  const order: string[] = [];
  let calling = () => {};
  const called = new Promise<void>((resolve) => {
    calling = resolve;
  });
  const older = executors.run(ATTEMPT, lifecycle(), async (own) => {
    order.push('older calls');
    const stopped = new Promise<void>((resolve) => own.stopping.addEventListener('abort', () => resolve()));
    calling();
    await stopped;
    await new Promise((resolve) => setTimeout(resolve, 20));
    order.push('older records');
    mayGoOn(own);
  });
  await called;
  const detached = expect(older).rejects.toBeInstanceOf(Detached);
  await executors.run(ATTEMPT, lifecycle(), async (own) => {
    order.push('newer begins');
    expect(own.stopping.aborted).toBe(false);
  });
  await detached;
  expect(order).toEqual(['older calls', 'older records', 'newer begins']);
});

it('executors of different attempts do not disturb each other', async () => {
  const executors = new Executors();
  const both = await Promise.all(
    [1, 2].map((attempt) =>
      executors.run(`run/one/0/${attempt}`, lifecycle(), async (own) => {
        await new Promise((resolve) => setTimeout(resolve, 10));
        return own.stopping.aborted;
      }),
    ),
  );
  expect(both).toEqual([false, false]);
});
