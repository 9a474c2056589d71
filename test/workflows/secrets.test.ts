import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunConfig } from '../../src/core/run/run-config.schema.js';
import { keys } from '../../src/store/keys.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { runAgainst } from '../support/model-run.js';
import { completes, type ModelServer, refuses, runs, says } from '../support/model-server.js';
import { threat } from '../support/threat.js';

const PASSED = ['SECRET_TEST_TASK_TOKEN', 'SECRET_TEST_JUDGE_KEY', 'SECRET_TEST_SOLUTION_KEY'];
const SECRETS = {
  SECRET_TEST_MODEL_KEY: 'sk-model-key-9f31c2',
  SECRET_TEST_TASK_TOKEN: 'token-of-the-task-77ab',
  SECRET_TEST_JUDGE_KEY: 'key-of-the-judge-10de',
  SECRET_TEST_SOLUTION_KEY: 'key-of-the-solution-5c',
};

let host: LongrunHost;
let server: ModelServer;

/** A run whose every part sees a secret and says it aloud: agent, tests, provider, solution. */
beforeAll(async () => {
  Object.assign(process.env, SECRETS);
  host = await LongrunHost.start();
  await host.startWorker();
});
afterAll(async () => {
  for (const name of Object.keys(SECRETS)) delete process.env[name];
  await host.stop();
});

const talkative = (taskId: string) =>
  inlineTask({
    taskId,
    test: '#!/bin/sh\nenv; echo "$JUDGE" > /logs/verifier/reward.txt\n',
    solution: '#!/bin/sh\nenv; echo "$SOLUTION"\n',
    verifier: { env: { JUDGE: 'for ${SECRET_TEST_JUDGE_KEY}' } },
    step: { solutionEnv: { SOLUTION: '${SECRET_TEST_SOLUTION_KEY}' } },
    sandbox: { env: { TOKEN: '${SECRET_TEST_TASK_TOKEN}', MODE: 'plain' } },
  });

const PATCH = { path: '/tmp/noted', old_string: 'first', new_string: 'second' };
const ENCODED =
  'printf %s "x$TOKEN" | base64; printf %s "$TOKEN" | od -An -tx1; echo "first $TOKEN" > /tmp/noted';

describe(threat('whoever reads the records', 'a secret that a sandbox printed'), () => {
  it('keys and tokens of the host reach the endpoint and the sandbox that they are for', async () => {
    const run = await runAgainst(
      host,
      'talkative',
      [await talkative('one')],
      ({ turn }) => {
        if (turn === 0) return runs('env');
        if (turn === 1) return runs('echo "$TOKEN"; test ${#TOKEN} -eq 22 && echo length is right');
        if (turn === 2) return runs(ENCODED);
        if (turn === 3) return completes({ calls: [{ name: 'patch', arguments: PATCH }] });
        return refuses(401, `Incorrect API key provided: ${SECRETS.SECRET_TEST_MODEL_KEY}`);
      },
      { apiKeyEnv: 'SECRET_TEST_MODEL_KEY', passEnv: PASSED },
    );
    server = run.server;
    expect(server.seen[0]?.authorization).toBe(`Bearer ${SECRETS.SECRET_TEST_MODEL_KEY}`);
    const result = { runId: 'talkative', taskId: 'one', sample: 0, attempt: 1 };
    const shown = await host.store.get(keys.toolResult(result, 0, 1, 0));
    expect(Buffer.from(shown ?? []).toString()).toContain('length is right');
    const patched = await host.store.get(keys.toolResult(result, 0, 3, 0));
    expect(Buffer.from(patched ?? []).toString()).toContain('second [redacted]');
    expect(run.rollouts[0]).toMatchObject({ stopReason: 'llm_error' });
    await runAgainst(host, 'verified', [await talkative('one')], () => says('Done.'), {
      apiKeyEnv: 'SECRET_TEST_MODEL_KEY',
      passEnv: PASSED,
    });
    await host.plan('solved', [await talkative('one')], { agent: 'oracle', passEnv: PASSED });
    await host.finish('solved');
  });

  it.each(Object.entries(SECRETS))(
    '%s is in no file of the state folder, Temporal’s database included',
    async (_, secret) => {
      const found: string[] = [];
      for (const file of await filesUnder(host.stateDir)) {
        const bytes = await readFile(file);
        if (spelt(secret).some((spelling) => bytes.includes(spelling))) found.push(file);
      }
      expect(found).toEqual([]);
    },
  );

  it('are in no workflow history', async () => {
    const histories: string[] = [];
    for await (const { workflowId } of host.client.workflow.list()) {
      const { events } = await host.client.workflow.getHandle(workflowId).fetchHistory();
      histories.push(textOf(events));
    }
    expect(histories.length).toBeGreaterThanOrEqual(9);
    for (const secret of Object.values(SECRETS))
      expect(histories.filter((history) => history.includes(secret))).toEqual([]);
    // The search looks where it should.
    expect(histories.some((history) => history.includes('llm_error'))).toBe(true);
  });

  it('are not told to the model either', () => {
    const told = JSON.stringify(server.seen.map(({ messages }) => messages));
    expect(told).toContain('[redacted]');
    for (const secret of Object.values(SECRETS))
      for (const spelling of spelt(secret)) expect(told).not.toContain(spelling);
  });
});

describe(threat('a task', 'variables of the host'), () => {
  it('the worker passes none that the run does not list, and never the run’s own', async () => {
    const asking = (name: string) =>
      inlineTask({ taskId: 'one', test: answerTest('42'), sandbox: { env: { X: `\${${name}}` } } });
    const attempts: [runId: string, variable: string, config: Partial<RunConfig>][] = [
      ['unlisted', 'SECRET_TEST_TASK_TOKEN', { passEnv: ['SECRET_TEST_JUDGE_KEY'] }],
      [
        'own',
        'SECRET_TEST_MODEL_KEY',
        { passEnv: ['SECRET_TEST_MODEL_KEY'], apiKeyEnv: 'SECRET_TEST_MODEL_KEY' },
      ],
      ['older-own', 'SECRET_TEST_MODEL_KEY', { passEnv: null, apiKeyEnv: 'SECRET_TEST_MODEL_KEY' }],
    ];
    for (const [runId, variable, config] of attempts) {
      await host.plan(runId, [await asking(variable)], { agent: 'nop', maxAttempts: 1, ...config });
      const [rollout] = (await host.finish(runId)).rollouts;
      expect(rollout).toMatchObject({ stopReason: 'provision_error', failure: { code: 'task_invalid' } });
      expect(rollout?.failure?.message).toContain(variable);
    }
  });

  it('a run of before there was a list carries on with what its tasks asked for', async () => {
    const test = '#!/bin/sh\n[ -n "$JUDGE" ] && echo 1 > /logs/verifier/reward.txt\n';
    const verifier = { env: { JUDGE: '${SECRET_TEST_JUDGE_KEY}' } };
    await host.plan('older', [await inlineTask({ taskId: 'one', test, verifier })], {
      agent: 'nop',
      passEnv: null,
    });
    expect((await host.finish('older')).rollouts).toMatchObject([{ reward: 1 }]);
  });
});

/** As it is, in hexadecimal digits, and in Base64 at each place in a group of three bytes, but for its edges. */
function spelt(secret: string): string[] {
  const encoded = ['', 'x', 'xy'].map((before) =>
    Buffer.from(before + secret)
      .toString('base64')
      .slice(4, -4),
  );
  return [secret, Buffer.from(secret).toString('hex'), ...encoded];
}

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** All strings and payloads of a history; its own conversion to JSON would encode the payloads. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return `${value}\n`;
  if (value instanceof Uint8Array) return `${Buffer.from(value).toString('utf8')}\n`;
  return typeof value === 'object' && value !== null ? Object.values(value).map(textOf).join('') : '';
}
