import { expect, it, onTestFinished } from 'vitest';
import { startRounds } from '../../src/worker/rounds.js';
import { until } from '../support/until.js';

it('does one round at a time, and waits for the one under way when it is stopped', async () => {
  let running = 0;
  let most = 0;
  let begun = 0;
  const rounds = startRounds(
    5,
    async () => {
      begun += 1;
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 30));
      running -= 1;
    },
    () => undefined,
  );
  onTestFinished(() => rounds.stop());
  await until(() => begun >= 3);
  await rounds.stop();
  expect([most, running]).toEqual([1, 0]);
});

it('goes on with the next round after one that failed, and tells of the failure', async () => {
  let begun = 0;
  const told: unknown[] = [];
  const rounds = startRounds(
    1,
    async () => {
      begun += 1;
      if (begun === 1) throw new Error('the engine is away');
    },
    (error) => told.push(error),
  );
  onTestFinished(() => rounds.stop());
  await until(() => begun >= 3);
  expect(told).toEqual([new Error('the engine is away')]);
});

it('stops in peace while a round is failing', async () => {
  let fail: (error: Error) => void = () => undefined;
  let begun = false;
  const told: unknown[] = [];
  const rounds = startRounds(
    1,
    () => {
      begun = true;
      return new Promise<void>((_, reject) => {
        fail = reject;
      });
    },
    (error) => told.push(error),
  );
  await until(() => begun);
  const stopped = rounds.stop();
  fail(new Error('the connection was closed'));
  await stopped;
  expect(told).toEqual([new Error('the connection was closed')]);
});
