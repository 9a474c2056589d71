import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownTokenizerFiles, type Policy, type PolicyServer } from '../../src/model/policy-server/index.js';
import { keys } from '../../src/store/keys.js';
import { PolicyLog } from '../../src/store/policy-log.js';
import { readRecord } from '../../src/store/records/records.js';
import { callRecordSchema } from '../../src/store/records/records.schema.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { startPolicyServer } from '../support/policy-server.js';
import { serveConfig } from '../support/serve-config.js';
import { until } from '../support/until.js';
import { folder } from '../trajectories/support/folder.js';
import { runPeer } from './support/python.js';
import { event, fakeTinker, trainer } from './tinker-programs.js';

const RUN = 'trained';
const BATCHES = 3;

/** Right where its seed is even. */
const policy: Policy = ({ seed, turn }) => {
  const command = seed % 2 === 0 ? 'echo done > /app/answer' : 'echo "undone" > /app/other';
  if (turn === 0)
    return { content: 'I look.', toolCalls: [{ name: 'terminal', arguments: { command: 'ls "/app"' } }] };
  if (turn === 1) return { toolCalls: [{ name: 'terminal', arguments: { command } }] };
  return { toolCalls: [{ name: 'finish', arguments: { summary: 'Done.' } }] };
};

let host: LongrunHost;
let hostId: string;
let work: string;
let sampler: PolicyServer;
let front: Server;
/** The model that each call asked for, in order. */
const asked: string[] = [];
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'longrun-tinker-'));
  const { tokenizer, config, template } = ownTokenizerFiles();
  await writeFile(join(work, 'tokenizer.json'), tokenizer);
  await writeFile(join(work, 'tokenizer_config.json'), JSON.stringify(config));
  await writeFile(join(work, 'chat_template.jinja'), template as string);
  sampler = await startPolicyServer({ policy, usualBias: 0 });
  front = await noting(sampler.baseUrl);
  host = await LongrunHost.start();
  ({ hostId } = await host.startWorker({ sliceMs: 500 }));
});
afterAll(async () => {
  await host.stop();
  front.close();
  await sampler.close();
  await rm(work, { recursive: true, force: true });
});

/** Passes requests on to an endpoint, and notes which model each asks for. */
async function noting(target: string): Promise<Server> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (body.length > 0) asked.push(JSON.parse(body.toString('utf8')).model);
    const answer = await fetch(new URL(request.url ?? '', target), {
      method: request.method ?? 'POST',
      headers: { 'content-type': 'application/json' },
      ...(body.length > 0 ? { body } : {}),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const baseUrlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;

const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test('a run and a trainer with the official SDK go round together: batches out, versions back, both killed once', async () => {
  const datums = join(work, 'datums');
  const fake = await fakeTinker();
  const first = trainer(datums, fake.baseUrl, '--rank', '8', '--loss', 'ppo');
  await event(first, 'started');
  const task = await inlineTask({ taskId: 'answer', test: answerTest('done'), instruction: 'Do it.' });
  const serve = serveConfig({ tinker: datums, hostId, batchGroups: 2, maxBatchesOffpolicy: 1 });
  await host.plan(RUN, [task], {
    ...{
      agent: 'tool-calling',
      model: 'demo',
      baseUrl: baseUrlOf(front),
      tokenApi: 'tinker',
      tokenizer: work,
    },
    ...{ maxTokens: 2_000, seed: 0, groupSize: 2, groups: 2 * BATCHES, estimator: 'dr-grpo', serve },
  });
  const finished = host.finish(RUN);
  await event(first, 'step');
  await first.kill('SIGKILL');
  const second = trainer(datums, fake.baseUrl, '--rank', '8', '--loss', 'ppo');
  expect(await event(second, 'started')).toMatchObject({ resumed_at: 1, policy_version: 'step-000001' });
  expect((await finished).run.status).toBe('finished');
  expect(await event(second, 'ended')).toMatchObject({ batches: BATCHES });
  expect(await second.ended).toBe(0);

  // The run may end before or after it has heard of the last step.
  const told = await new PolicyLog(host.store, RUN, Date.now).latest();
  expect(told?.version).toMatch(/^step-00000[23]$/);
  expect(told).toMatchObject({
    source: 'trainer',
    model: expect.stringMatching(new RegExp(`^tinker://.+/sampler_weights/${told?.version}$`)),
  });
  const { refusals, seen, models } = await fake.report();
  expect(refusals).toEqual([]);
  expect(seen.with_provenance).toBe(seen.datums);
  expect(Object.values(models).map(({ rank, steps }) => [rank, steps])).toEqual([
    [8, 1],
    [8, BATCHES],
  ]);
});

test('each batch was sampled from the weights that the batch before it made', () => {
  const index = linesOf(join(work, 'datums', 'index.jsonl'));
  const told = ['step-000000', 'step-000001', 'step-000002'];
  const versions: string[][] = index.map(({ policy_versions }) => policy_versions);
  // A process may be a second behind: the first calls of a batch may still have asked the weights before.
  for (const [n, seen] of versions.entries())
    expect(told.slice(Math.max(0, n - 1), n + 1)).toEqual(expect.arrayContaining(seen));
  expect(new Set(versions.flat())).toEqual(new Set(told));
  expect(new Set(asked.map((model) => model.split('/').at(-1)))).toEqual(new Set(told));
});

test("Tinker's SDK takes every datum, and it is what a conversion of the recorded calls gives", async () => {
  let checked = 0;
  for (const { batch, file, groups } of linesOf(join(work, 'datums', 'index.jsonl'))) {
    const path = join(work, `trajectories-${batch}.jsonl`);
    const rows: unknown[] = [];
    for (const group of groups) rows.push(...(await recorded(group)));
    writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const { exitCode, stdout, stderr } = await runPeer('check_tinker.py', [
      join(work, 'datums', file),
      path,
      'ppo',
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    checked += JSON.parse(stdout).datums;
  }
  expect(checked).toBe(4 * BATCHES);
});

/** A group's rollouts as the records of their calls have them: what was prompted, and what was sampled. */
async function recorded(groupId: string): Promise<unknown[]> {
  const [runId = '', taskId = '', index] = groupId.split('/');
  const rows: unknown[] = [];
  for (const sample of [2 * Number(index), 2 * Number(index) + 1]) {
    const transitions: unknown[] = [];
    for (let turn = 0; ; turn++) {
      const key = keys.call({ runId, taskId, sample, attempt: 1 }, 0, turn);
      const call = await readRecord(host.store, callRecordSchema, key);
      if (call === null) break;
      const { promptTokenIds: ob, completionTokenIds: ac, logprobs } = call;
      transitions.push({ ob, ac, logprobs, masked: false });
    }
    rows.push({ group: groupId, reward: sample % 2 === 0 ? 1 : 0, transitions });
  }
  return rows;
}

test('a batch with a value that is not finite is not trained on', async () => {
  const broken = folder();
  const [line = ''] = readFileSync(join(work, 'datums', 'batch_000001.jsonl'), 'utf8').split('\n');
  writeFileSync(
    join(broken, 'batch_000001.jsonl'),
    `${line.replace(/"advantages": \{"data": \[0\.0/, '"advantages": {"data": [NaN')}\n`,
  );
  const fake = await fakeTinker();
  const child = trainer(broken, fake.baseUrl);
  expect(await child.ended).toBe(1);
  expect((await fake.report()).calls.forward_backward).toBeUndefined();
  await until(() => existsSync(join(broken, 'state.json')));
  expect(JSON.parse(readFileSync(join(broken, 'state.json'), 'utf8'))).toMatchObject({ consumed: 0 });
});
