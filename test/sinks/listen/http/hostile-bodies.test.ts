import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { threat } from '../../../support/threat.js';
import { type Listening, posted } from '../support/listening.js';
import { bothApis } from './both-apis.js';

vi.setConfig({ testTimeout: 60_000 });

const MB = 1024 * 1024;
const SMALL = ['/register', '/register-env', '/disconnect-env', '/v1/policy', '/v1/items', '/v1/rollouts'];
const LARGE = ['/scored_data', '/scored_data_list'];

interface Answer {
  status: number;
  error: { code: string; message: string };
}

async function send(to: Listening, path: string, body: string | Buffer, encoding?: string): Promise<Answer> {
  const answer = await to.request(path, {
    method: 'POST',
    headers: encoding === undefined ? {} : { 'content-encoding': encoding },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  const { error } = (await answer.json()) as Pick<Answer, 'error'>;
  return { status: answer.status, error };
}

describe(threat('a client of the HTTP API', 'the process that answers everybody'), () => {
  it('a body over the limit of its route is refused with 413, and the limit is named', async () => {
    const apis = await bothApis();
    for (const [paths, limit] of [
      [SMALL, 64 * 1024],
      [LARGE, 16 * MB],
    ] as const)
      for (const path of paths) {
        const { status, error } = await send(apis, path, `"${'x'.repeat(limit)}"`);
        expect([path, status, error.code], error.message).toEqual([path, 413, 'bad_input']);
        expect(error.message).toContain(`more than ${limit} bytes`);
      }
  });

  it('what a compressed body unpacks to has the same limit, and so has what unpacks to nothing', async () => {
    const apis = await bothApis();
    const before = process.memoryUsage().rss;
    for (const path of [...SMALL, ...LARGE]) {
      const bomb = await send(apis, path, BOMB, 'gzip');
      expect([path, bomb.status], bomb.error.message).toEqual([path, 413]);
      const nothing = Buffer.alloc(17 * MB, EMPTY_MEMBER);
      expect((await send(apis, path, nothing, 'gzip')).status).toBe(413);
    }
    // 300 MB eight times, had they been unpacked.
    expect(process.memoryUsage().rss - before).toBeLessThan(800 * MB);
    expect(await apis.get('/status')).toMatchObject({ queue_size: 0 });
  });

  it('a body that is no JSON is refused in the time that its length takes, whatever is in it', async () => {
    const apis = await bothApis();
    for (const hostile of ['\\"', '"', '\\', '{"a":', 'NaN"', '"NaN\\"'])
      for (const path of LARGE) {
        const body = `"${hostile.repeat(Math.floor((2 * MB) / hostile.length))}`;
        const answer = await send(apis, path, body);
        expect([hostile, path, [400, 422].includes(answer.status)]).toEqual([hostile, path, true]);
      }
  });

  it('a body that is nested too deep is refused with 400 on every route, and the limit is named', async () => {
    const apis = await bothApis();
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    for (const levels of [101, 20_000])
      for (const path of [...SMALL, ...LARGE])
        for (const body of [
          deep(levels),
          `{"tokens":${deep(levels)}}`,
          `[{"group_overrides":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}]`,
        ]) {
          if (body.length > 64 * 1024 && SMALL.includes(path)) continue;
          const { status, error } = await send(apis, path, body);
          expect([path, levels, status], error.message).toEqual([path, levels, 400]);
          expect(error.message).toContain('more than 100 deep');
        }
    const overrides = `{"a":${deep(90)}}`;
    const body = JSON.stringify(posted(4, 1)).replace('{', `{"group_overrides":${overrides},`);
    expect((await apis.send('/scored_data', body)).status).toBe(200);
  });

  it('a body of very many small parts, which takes long to read, is refused, and the limit is named', async () => {
    const apis = await bothApis();
    for (const part of ['[]', '{}', '""', '{"a":1}'])
      for (const path of LARGE) {
        const { status, error } = await send(apis, path, `[${`${part},`.repeat(250_000)}1]`);
        expect([path, part, status], error.message).toEqual([path, part, 400]);
        expect(error.message).toContain('more than 200000 lists, objects and texts');
      }
  });

  it('a list of more groups than one request may bring is refused', async () => {
    const apis = await bothApis();
    const list = Array.from({ length: 1_001 }, (_, i) => posted(1, i));
    const { status, error } = await send(apis, '/scored_data_list', JSON.stringify(list));
    expect([status, error.message]).toEqual([422, 'body: 1001 groups; at most 1000 are accepted']);
  });

  it('takes the training data that it promises: a group of 8 rollouts of 32,000 tokens', async () => {
    const apis = await bothApis();
    await apis.register(8);
    const row = (value: number) => Array.from({ length: 32_000 }, () => value);
    const rows = (value: number) => Array.from({ length: 8 }, () => row(value));
    const group = {
      ...{ tokens: rows(151_643), masks: rows(151_643), scores: [0, 1, 0, 1, 0, 1, 0, 1] },
      ...{ advantages: rows(-0.5773502691896257), inference_logprobs: rows(-0.123456789012345) },
    };
    const body = JSON.stringify(group);
    expect(body.length).toBeGreaterThan(13_000_000);
    expect((await apis.send('/scored_data', body)).status).toBe(200);
    const packed = JSON.stringify({ ...group, scores: [1, 1, 0, 1, 0, 1, 0, 1] });
    expect((await send(apis, '/scored_data', gzipSync(packed), 'gzip')).status).toBe(200);
    expect((await apis.batch(0)).batch?.[0]?.tokens[7]).toHaveLength(32_000);
  });
});

const MEMBER = gzipSync(Buffer.alloc(10_000_000, '[],'));
/** 300 MB of lists in 0.3 MB. */
const BOMB = Buffer.concat(Array.from({ length: 30 }, () => MEMBER));
const EMPTY_MEMBER = gzipSync('');
