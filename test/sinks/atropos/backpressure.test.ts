import { describe, expect, it } from 'vitest';
import { envStatusSchema, infoSchema } from '../../../src/sinks/atropos/api.schema.js';
import { allowedGroups, sizeProblem, trainerHasEnough } from '../../../src/sinks/atropos/backpressure.js';

const status = (queue: number, step = 0, unallocated = 1) => ({
  current_step: step,
  queue_size: queue,
  self_queue_size: queue,
  unallocated_fraction: unallocated,
});
const share = { groupSize: 8, maxBatchesOffpolicy: 3 };

describe('groups in the making', () => {
  it.each([
    ['three batches of four groups, nothing queued', status(0), 0, 12],
    ['less what is queued', status(5), 0, 7],
    ['less what waits for being sent', status(5), 3, 4],
    ['none when the queue is full', status(20), 0, 0],
    ['as many as the share that nobody else has a claim on', status(0, 0, 0.5), 0, 6],
  ])('%s', (_, seen, unsent, allowed) => {
    expect(allowedGroups(seen, { batchSize: 32 }, share, unsent)).toBe(allowed);
  });
});

describe('a trainer has enough', () => {
  it.each([
    ['when the queue takes it past its last step', status(12, 8), 10, true],
    ['not when the queue takes it to its last step', status(8, 8), 10, false],
    ['never when it has no last step', status(800, 800), null, false],
  ])('%s', (_, seen, numSteps, enough) => {
    expect(trainerHasEnough(seen, { batchSize: 32, numSteps }, 8)).toBe(enough);
  });
});

it('names the sizes of groups that fill a batch', () => {
  expect(sizeProblem(8, 32)).toBeNull();
  expect(sizeProblem(8, 12)).toBe(
    "groups of 8 never fill the trainer's batches of 12 sequences; accepted are groups of 1, 2, 3, 4, 6, 12",
  );
  expect(sizeProblem(8, 4)).toContain('accepted are groups of 1, 2, 4');
});

it.each([2 ** 53, 1e9, 1e308, 0.5])(
  'a trainer whose batches are said to hold %d sequences is not believed',
  (batch) => {
    expect(infoSchema.safeParse({ batch_size: batch, max_token_len: 10 }).success).toBe(false);
  },
);

it('a queue of less than nothing allows no more groups', () => {
  const status = { current_step: 0, queue_size: -1e308, self_queue_size: 0, unallocated_fraction: 1 };
  expect(envStatusSchema.safeParse(status).success).toBe(false);
});
