import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { threat } from '../../support/threat.js';
import { manifestOf, say, start, type TinkerRun, tinkerRun, until, type Working } from './tinker-run.js';

const MODEL = 'tinker://run-1/sampler_weights/step-000001';

test('the weights that a trainer tells of are the ones that are sampled from', async () => {
  const run = await tinkerRun();
  say(run, {
    policy_version: 'step-000000',
    model: 'tinker://run-1/sampler_weights/step-000000',
    consumed: 0,
  });
  const working = await start(run);
  await until(async () => (await run.serve.policies.latest())?.version === 'step-000000');
  await run.serve.closeMany(2, { policyVersion: 'step-000000' });
  await until(() => manifestOf(run).batches === 1);
  say(run, { policy_version: 'step-000001', model: MODEL, base_url: 'https://example.test/v1', consumed: 1 });
  await until(async () => (await run.serve.policies.latest())?.version === 'step-000001');
  expect(await run.serve.policies.latest()).toMatchObject({
    source: 'trainer',
    model: MODEL,
    baseUrl: 'https://example.test/v1',
  });
  expect(await run.serve.policies.lagsOf(['step-000000'])).toEqual([1]);
  await working.stop();
});

test('without a trainer nothing is held back; with one, as many batches as it may be ahead', async () => {
  const run = await tinkerRun({ maxBatchesOffpolicy: 2 });
  const working = await start(run);
  const { executor } = working;
  await until(() => executor.limit === Number.MAX_SAFE_INTEGER);
  say(run, { policy_version: 0, consumed: 0 });
  await until(() => executor.limit === 4);
  // A group that is in no batch makes room for another one.
  await run.serve.close({ rewards: [1, 1] });
  await until(() => executor.limit === 5);
  await run.serve.closeMany(2);
  await until(() => manifestOf(run).batches === 1);
  say(run, { policy_version: 1, consumed: 1 });
  await until(() => executor.limit === 7);
  await working.stop();
});

test('the next executor knows what the trainer had come to', async () => {
  const run = await tinkerRun({ maxBatchesOffpolicy: 1 });
  const first = await start(run);
  await run.serve.closeMany(2);
  await until(() => manifestOf(run).batches === 1);
  say(run, { policy_version: 'a', consumed: 1 });
  await until(async () => (await run.serve.policies.latest())?.version === 'a');
  await first.stop();
  say(run, { policy_version: 'a', consumed: 0 });
  const second = await start(run);
  await until(() => second.executor.limit === 4);
  await second.stop();
});

/** An executor whose warnings can be read. */
async function warned(run: TinkerRun): Promise<Working & { warnings: string[] }> {
  const warnings: string[] = [];
  const logger = pino(
    { level: 'warn' },
    { write: (line: string) => void warnings.push(JSON.parse(line).msg) },
  );
  return { ...(await start(run, { logger })), warnings };
}

test('a damaged state is said once, and taken when it is whole', async () => {
  const run = await tinkerRun();
  const working = await warned(run);
  say(run, '{"policy_ver');
  await until(() => working.warnings.length === 1);
  say(run, '{"policy_version": "a", "consu');
  say(run, '{"policy_version": "a", "consumed": 0');
  say(run, { policy_version: 'a', consumed: 0 });
  await until(async () => (await run.serve.policies.latest())?.version === 'a');
  expect(working.warnings).toEqual([expect.stringContaining('is not read until it is whole')]);
  await working.stop();
});

describe(threat('a trainer', 'other services of the network, by model calls'), () => {
  test('weights at an origin that the run was not started with are not taken, and what is accepted is said', async () => {
    const run = await tinkerRun({ policyOrigins: ['https://models.example.com'] });
    const working = await warned(run);
    say(run, { policy_version: 'a', base_url: 'http://127.0.0.1:2375/v1', consumed: 0 });
    await until(() => working.warnings.length === 1);
    expect(working.warnings[0]).toContain('base_url (http://127.0.0.1:2375 is not where this run may ask');
    expect(working.warnings[0]).toContain(
      'wanted: an address at https://api.openai.com or https://models.example.com;',
    );
    expect(await run.serve.policies.latest()).toBeNull();
    say(run, { policy_version: 'a', base_url: 'https://models.example.com/v1', consumed: 0 });
    await until(async () => (await run.serve.policies.latest())?.version === 'a');
    await working.stop();
  });
});

test('what is wrong with one part of a state is said, and the other part counts', async () => {
  const run = await tinkerRun({ maxBatchesOffpolicy: 1 });
  const working = await warned(run);
  await run.serve.closeMany(4);
  await until(() => manifestOf(run).batches === 2);
  say(run, { policy_version: 'a', consumed: 0 });
  await until(() => working.executor.limit === 2);
  say(run, { policy_version: 'b', base_url: 'http://me:sesame@models.example.com/v1', consumed: 1 });
  await until(() => working.executor.limit === 4);
  expect((await run.serve.policies.latest())?.version).toBe('a');
  say(run, { policy_version: 'c', consumed: 'two' });
  await until(async () => (await run.serve.policies.latest())?.version === 'c');
  say(run, { policy_version: 'a', consumed: 2 });
  await until(() => working.executor.limit === 6);
  expect((await run.serve.policies.latest())?.version).toBe('c');
  expect(working.warnings).toEqual([
    "Of the trainer's state this is not taken: base_url (wanted: an address that begins with http:// or https://, without user, password or query)",
    "Of the trainer's state this is not taken: consumed (wanted: a whole number from 0 on)",
    "Of the trainer's state this is not taken: policy version a was followed by 1 others",
  ]);
  await working.stop();
});

test('a trainer that says nothing of its weights is followed all the same', async () => {
  const run = await tinkerRun({ maxBatchesOffpolicy: 1 });
  const working = await warned(run);
  say(run, { consumed: 0 });
  await until(() => working.executor.limit === 2);
  await run.serve.closeMany(2);
  await until(() => manifestOf(run).batches === 1);
  say(run, { consumed: 1 });
  await until(() => working.executor.limit === 4);
  expect(await run.serve.policies.latest()).toBeNull();
  expect(working.warnings).toEqual([
    "Of the trainer's state this is not taken: policy_version (wanted: a text or a whole number)",
  ]);
  await working.stop();
});

test('a state that goes back, or tells of batches that are not there, is refused with a warning', async () => {
  const run = await tinkerRun({ maxBatchesOffpolicy: 1 });
  const working = await warned(run);
  await run.serve.closeMany(2);
  await until(() => manifestOf(run).batches === 1);
  say(run, { policy_version: 'a', consumed: 0 });
  await until(async () => (await run.serve.policies.latest())?.version === 'a');
  say(run, { policy_version: 'b', consumed: 1 });
  await until(async () => (await run.serve.policies.latest())?.version === 'b');
  for (const [state, reason] of [
    [{ policy_version: 'a', consumed: 1 }, 'policy version a was followed by 1 others'],
    [{ policy_version: 'b', consumed: 0 }, 'it has trained 0 batches, and had trained 1'],
    [{ policy_version: 'b', consumed: 9 }, 'it has trained 9 batches, and there are 1'],
  ] as const) {
    say(run, state);
    await until(() => working.warnings.some((warning) => warning.includes(reason)));
  }
  expect(working.warnings).toHaveLength(3);
  expect((await run.serve.policies.latest())?.version).toBe('b');
  await until(() => working.executor.limit === 4);
  await working.stop();
});
