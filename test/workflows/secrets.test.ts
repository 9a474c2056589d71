import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keys } from '../../src/store/keys.js';
import { inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { runAgainst } from '../support/model-run.js';
import { type ModelServer, refuses, runs, says } from '../support/model-server.js';

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

describe('keys and tokens of the host', () => {
  it('reach the endpoint and the sandbox', async () => {
    const run = await runAgainst(
      host,
      'talkative',
      [await talkative('one')],
      ({ turn }) => {
        if (turn === 0) return runs('env');
        if (turn === 1) return runs('echo "$TOKEN"; test ${#TOKEN} -eq 22 && echo length is right');
        return refuses(401, `Incorrect API key provided: ${SECRETS.SECRET_TEST_MODEL_KEY}`);
      },
      { apiKeyEnv: 'SECRET_TEST_MODEL_KEY' },
    );
    server = run.server;
    expect(server.seen[0]?.authorization).toBe(`Bearer ${SECRETS.SECRET_TEST_MODEL_KEY}`);
    const result = { runId: 'talkative', taskId: 'one', sample: 0, attempt: 1 };
    const shown = await host.store.get(keys.toolResult(result, 0, 1, 0));
    expect(Buffer.from(shown ?? []).toString()).toContain('length is right');
    expect(run.rollouts[0]).toMatchObject({ stopReason: 'llm_error' });
    await runAgainst(host, 'verified', [await talkative('one')], () => says('Done.'), {
      apiKeyEnv: 'SECRET_TEST_MODEL_KEY',
    });
    await host.plan('solved', [await talkative('one')], { agent: 'oracle' });
    await host.finish('solved');
  });

  it.each(Object.entries(SECRETS))(
    '%s is in no file of the state folder, Temporal’s database included',
    async (_, secret) => {
      const found: string[] = [];
      for (const file of await filesUnder(host.stateDir))
        if ((await readFile(file)).includes(secret)) found.push(file);
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
    for (const secret of Object.values(SECRETS)) expect(told).not.toContain(secret);
  });
});

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
