import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { RunConfig } from '../../src/core/run/run-config.schema.js';
import { serveConfigSchema } from '../../src/core/run/serve-config.schema.js';
import { episodesOfGroup } from '../../src/records/episodes-of-group.js';
import { closeGroup } from '../../src/rollout/books/group-book.js';
import { callPolicies } from '../../src/rollout/calls/call-policies.js';
import { finalizeAttempt } from '../../src/rollout/finalize.js';
import { placeSandbox } from '../../src/rollout/place.js';
import { runSlice } from '../../src/rollout/turns/slice.js';
import { verifyStep } from '../../src/rollout/verify.js';
import { readGroup } from '../../src/store/groups.js';
import { PolicyLog, type ToldPolicy } from '../../src/store/policy-log.js';
import { readResult, readRun } from '../../src/store/runs.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { tempStore } from '../store/temp-store.js';
import { lifecycle, modelOf, response, rolloutDeps } from '../support/rollout-deps.js';
import { KEY, planOne } from './whole-rollout.js';

const FENCE = { incarnation: 1, slice: 2, activityAttempt: 1 };

/** One rollout of three turns; `between` tells of policies before each call ends; what the endpoint says is `answered`. */
async function rollout(
  store: ArtifactStore,
  policyVersions: 'trainer' | 'endpoint',
  { told, answered = () => null }: { told: ToldPolicy[]; answered?: (turn: number) => string | null },
) {
  const serve = serveConfigSchema.parse({
    ...{ atropos: null, listen: null, tinker: null, jsonl: '/nowhere', hostId: 'here' },
    policyVersions,
  });
  const config: Partial<RunConfig> = { serve, groupSize: 1, groups: 1, baseUrl: 'http://usual/v1' };
  await planOne(store, config);
  const log = new PolicyLog(store, KEY.runId, Date.now);
  if (told[0]) await log.tell(told[0]);
  const model = modelOf(async (_request, nth) => {
    const next = told[nth];
    if (next) await log.tell(next);
    const answer = response(nth < 3 ? { run: 'echo 42 > /app/answer' } : { content: 'Done.' });
    return { ...answer, policyVersion: answered(nth) };
  });
  let now = 0;
  const addresses: (string | null)[] = [];
  const deps = {
    ...rolloutDeps({ store, model }),
    modelOf: (run: { config: RunConfig }) => {
      addresses.push(run.config.baseUrl);
      return model;
    },
    // Every look is later than a version may be cached.
    policies: callPolicies(store, () => (now += 5_000), pino({ level: 'silent' })),
  };
  await placeSandbox(deps, { ...KEY, incarnation: 1, slice: 1, maxAttempts: 1 }, 1, lifecycle());
  await runSlice(deps, KEY, 0, FENCE, lifecycle());
  await verifyStep(deps, KEY, 0, { ...FENCE, slice: 3 }, lifecycle());
  await finalizeAttempt(deps, { ...KEY, incarnation: 1, maxAttempts: 1, ended: null });
  await closeGroup(deps, { runId: KEY.runId, taskId: KEY.taskId, index: 0, whole: true });
  const group = await readGroup(store, { runId: KEY.runId, taskId: KEY.taskId, index: 0 });
  if (group === null) throw new Error('the group is not closed');
  const [episode] = await episodesOfGroup(store, await readRun(store, KEY.runId), group);
  return { log, model, addresses, group, versions: episode?.turns.map(({ policyVersion }) => policyVersion) };
}

it('stamps each turn with the newest version that the trainer told of when the turn began', async () => {
  const store = await tempStore();
  const { versions, group, model } = await rollout(store, 'trainer', {
    told: [
      { version: '7', source: 'trainer' },
      { version: '8', source: 'trainer' },
    ],
    answered: () => 'what the endpoint says',
  });
  expect(versions).toEqual(['7', '8', '8']);
  expect(group.policyVersions).toEqual(['7']);
  expect((await readResult(store, KEY))?.policyVersion).toBe('7');
  expect(model.requests.map((request) => request.model)).toEqual(['test-model', 'test-model', 'test-model']);
});

it('asks for the model and at the address that a version names, from the next turn on', async () => {
  const { model, addresses, versions } = await rollout(await tempStore(), 'trainer', {
    told: [
      { version: '1', source: 'trainer' },
      { version: '2', source: 'api', model: 'adapter-2' },
      { version: '3', source: 'api', baseUrl: 'http://other/v1' },
    ],
  });
  expect(model.requests.map((request) => request.model)).toEqual(['test-model', 'adapter-2', 'adapter-2']);
  expect(versions).toEqual(['1', '2', '3']);
  expect(new Set(addresses)).toEqual(new Set(['http://usual/v1', 'http://other/v1']));
});

it('takes the word of the endpoint where that counts, and notes versions in the order in which they were seen', async () => {
  const { versions, log } = await rollout(await tempStore(), 'endpoint', {
    told: [],
    answered: (nth) => (nth === 1 ? 'a' : 'b'),
  });
  expect(versions).toEqual(['a', 'b', 'b']);
  expect(await log.lagsOf(['a', 'b'])).toEqual([1, 0]);
});

it('a key is sent to no other origin than the one that it is for', async () => {
  const store = await tempStore();
  const serve = serveConfigSchema.parse({
    ...{ atropos: null, listen: null, tinker: null, jsonl: '/nowhere', hostId: 'here' },
  });
  await planOne(store, { serve, groupSize: 1, groups: 1, baseUrl: 'http://usual/v1', apiKeyEnv: 'THE_KEY' });
  const run = await readRun(store, KEY.runId);
  const keyOf = async (version: string, baseUrl: string) => {
    await new PolicyLog(store, KEY.runId, Date.now).tell({ version, source: 'api', baseUrl });
    const { run: at } = await callPolicies(store, Date.now, pino({ level: 'silent' })).at(run);
    return { baseUrl: at.config.baseUrl, key: at.config.apiKeyEnv };
  };
  expect(await keyOf('1', 'http://usual/v2')).toEqual({ baseUrl: 'http://usual/v2', key: 'THE_KEY' });
  expect(await keyOf('2', 'http://other/v1')).toEqual({ baseUrl: 'http://other/v1', key: 'none' });
});
