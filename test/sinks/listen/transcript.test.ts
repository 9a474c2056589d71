import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { expect, test, vi } from 'vitest';
import { Listening, listeningRun } from './support/listening.js';

vi.setConfig({ testTimeout: 60_000 });

interface Step {
  method: string;
  path: string;
  body: unknown;
  status: number;
  answer: unknown;
}

/** Recorded from the real server by test/peers/record_atropos_transcript.py. */
const steps = JSON.parse(
  await readFile(new URL('./fixtures/atropos-transcript.json', import.meta.url), 'utf8'),
) as Step[];

test('every request of a recorded conversation with the original server is answered as it was there', async () => {
  const { url } = await Listening.start(await listeningRun({ groupSize: 4 }));
  for (const [i, { method, path, body, status, answer }] of steps.entries()) {
    const ours = await ask(url, method, path, body);
    const said = { step: `${i}: ${method} ${path}`, status: ours.status, answer: comparable(ours.answer) };
    expect(said).toEqual({ step: said.step, status, answer: comparable(answer) });
  }
});

test('an environment may ask for its status with a query, too', async () => {
  const { url } = await Listening.start(await listeningRun({ groupSize: 4 }));
  for (const { method, path, body } of steps.slice(0, 15)) await ask(url, method, path, body);
  const byBody = await ask(url, 'GET', '/status-env', { env_id: 0 });
  expect(await ask(url, 'GET', '/status-env?env_id=0', null)).toEqual(byBody);
  expect((await ask(url, 'GET', '/status-env?env_id=7', null)).status).toBe(404);
});

/** fetch sends no body with GET. */
function ask(url: string, method: string, path: string, body: unknown) {
  return new Promise<{ status: number; answer: unknown }>((done, reject) => {
    const data = body === null ? null : JSON.stringify(body);
    const headers =
      data === null ? {} : { 'content-type': 'application/json', 'content-length': data.length };
    const asked = request(`${url}${path}`, { method, headers }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      const isJson = response.headers['content-type']?.startsWith('application/json');
      done({ status: response.statusCode ?? 0, answer: isJson ? JSON.parse(text) : text });
    });
    asked.once('error', reject);
    asked.end(data);
  });
}

/** Without what we add: the number of a batch, the mark of a delivery, errors in words; and without the uuid itself. */
function comparable(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  const { error, batch_id: _, uuid, detail, batch, ...rest } = answer as Record<string, unknown>;
  const places = (problems: unknown) =>
    Array.isArray(problems) ? problems.map(({ loc }) => loc).sort() : problems;
  return {
    ...rest,
    ...(typeof error === 'string' ? { error } : {}),
    ...(uuid === undefined ? {} : { uuid: '<128 bits>' }),
    ...(detail === undefined ? {} : { detail: places(detail) }),
    ...(batch === undefined ? {} : { batch: Array.isArray(batch) ? batch.map(withoutMark) : batch }),
  };
}

function withoutMark(item: { group_overrides: Record<string, unknown> | null }) {
  const { delivery: _, ...own } = item.group_overrides ?? {};
  return { ...item, group_overrides: Object.keys(own).length === 0 ? null : own };
}
