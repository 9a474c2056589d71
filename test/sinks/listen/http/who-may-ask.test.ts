import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { buildRunDocument } from '../../../../src/records/document.js';
import { renderScoreboard } from '../../../../src/report/scoreboard.js';
import { plainStyle } from '../../../../src/report/style.js';
import { withServing } from '../../../../src/runs/status/serve-status.js';
import { IdleCluster } from '../../../server/rollout-api/idle-cluster.js';
import { tempStateDir } from '../../../store/temp-store.js';
import { threat } from '../../../support/threat.js';
import { posted } from '../support/listening.js';
import { bothApis } from './both-apis.js';

vi.setConfig({ testTimeout: 60_000 });

const TOKEN = 'sesame-of-the-api';
const ENV = { max_token_length: 512, desired_name: 'e', weight: 1, group_size: 4 };
const PLAIN = { style: plainStyle, columns: 80 };
type Headers = Record<string, string>;

async function runView(store: Parameters<typeof buildRunDocument>[0], runId: string) {
  const document = await withServing(store, await buildRunDocument(store, runId, 'running'));
  return { document: JSON.stringify(document), text: renderScoreboard(document, PLAIN).join('\n') };
}

describe(threat('a client of the HTTP API', 'the terminal of whoever looks at the run'), () => {
  it('names with escape sequences, invisible characters and reordered text are shown as signs', async () => {
    const apis = await bothApis();
    const name = '\u001b]52;c;aGk=\u0007\u009b2J\u202e\u2066x';
    await apis.register(8, { wandb_group: name, wandb_project: name, checkpoint_dir: name });
    await apis.batch(0);
    expect(await apis.post('/register-env', { ...ENV, desired_name: name })).toMatchObject({ env_id: 0 });
    await apis.post('/scored_data', posted(4, 1, { group_overrides: { group_id: name }, env_id: 0 }));
    await apis.post('/v1/policy', { version: name, model: name });
    await apis.post('/v1/rollouts', { id: 'step', policy: { version: name, model: name } });
    await apis.stop();
    await apis.executor.close();
    const { store } = apis.executor.context;
    for (const runId of ['run', 'run.step']) {
      const { text } = await runView(store, runId);
      expect(text).toContain('␛]52;c;aGk=␇');
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  });
});

describe(threat('who looks at a run', 'the token of its API'), () => {
  it('the token is in no record, log, address, answer or view', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const stateDir = await tempStateDir();
    const apis = await bothApis({ token: TOKEN, logger, stateDir });
    const answers: string[] = [];
    const ask = async (path: string, init?: RequestInit) =>
      answers.push(await (await apis.request(path, init)).text());
    await apis.register(8);
    await apis.post('/v1/rollouts', { id: 'step', policy: { version: '1' } });
    for (const path of [
      '/',
      '/info',
      '/v1/rollouts/step',
      '/v1/environments',
      '/openapi.json',
      '/nowhere',
      '/%zz',
    ])
      await ask(path);
    await ask('/scored_data', { method: 'POST', body: '{' });
    for (const wrong of [`Basic ${TOKEN}`, `${TOKEN}`, `Bearer ${TOKEN} `, `bearer ${TOKEN}x`])
      await ask('/info', { headers: { authorization: wrong } });
    const { store } = apis.executor.context;
    for (const runId of ['run', 'run.step']) answers.push(...Object.values(await runView(store, runId)));
    await apis.stop();
    await apis.executor.close();
    const files = readdirSync(stateDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    expect(files.length).toBeGreaterThan(10);
    expect(lines.join('')).toContain('listens');
    for (const text of [...files, ...lines, ...answers, apis.url]) expect(text).not.toContain(TOKEN);
  });
});

describe(threat('a client of the HTTP API', 'groups that somebody else has asked for'), () => {
  it('who has no token can neither read nor cancel a group', async () => {
    const cluster = new IdleCluster();
    const apis = await bothApis({ token: TOKEN, cluster });
    await apis.post('/v1/rollouts', { id: 'step', policy: { version: '1' } });
    for (const method of ['GET', 'DELETE', 'OPTIONS'])
      for (const headers of [
        {},
        { authorization: 'Bearer other' },
        { origin: 'http://localhost' },
      ] as Headers[]) {
        const answer = await fetch(`${apis.url}/v1/rollouts/step`, { method, headers });
        expect([method, answer.status]).toEqual([method, method === 'OPTIONS' ? 200 : 401]);
        expect(await answer.text()).not.toContain('run.step');
      }
    expect(cluster.cancelled).toEqual([]);
  });

  it('a page of another site can cancel none, also by a name that points here', async () => {
    const cluster = new IdleCluster();
    const apis = await bothApis({ cluster });
    await apis.post('/v1/rollouts', { id: 'step', policy: { version: '1' } });
    for (const headers of [{ origin: 'https://evil.com' }, { 'sec-fetch-site': 'cross-site' }] as Headers[]) {
      const answer = await apis.request('/v1/rollouts/step', { method: 'DELETE', headers });
      expect(answer.status).toBe(403);
    }
    expect(cluster.cancelled).toEqual([]);
  });

  it('only groups that this run was asked for are cancelled: no other run, by no spelling of its name', async () => {
    const cluster = new IdleCluster();
    const apis = await bothApis({ cluster });
    await apis.post('/v1/rollouts', { id: 'step', policy: { version: '1' } });
    for (const id of [
      'run',
      'run.step',
      '..',
      '%2e%2e%2frun',
      'step%2f..%2fstep',
      'step%00',
      'step.json',
      'STEP',
    ])
      expect([id, (await apis.request(`/v1/rollouts/${id}`, { method: 'DELETE' })).status]).toEqual([
        id,
        404,
      ]);
    expect(cluster.cancelled).toEqual([]);
    expect((await apis.request('/v1/rollouts/step?wait=0', { method: 'DELETE' })).status).toBe(202);
    expect(cluster.cancelled).toEqual(['run.step']);
  });
});
