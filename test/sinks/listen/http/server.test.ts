import { createServer as createNetServer } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { LongrunError } from '../../../../src/core/errors.js';
import { createServer, listenOn, RefusedBody } from '../../../../src/sinks/listen/http/index.js';

const logger = pino({ level: 'silent' });

async function serving(token: string | null = null): Promise<string> {
  const app = createServer({ logger, host: '127.0.0.1', token });
  app.get('/large', () => ({ text: 'x'.repeat(5_000) }));
  app.get('/small', () => ({ text: 'x' }));
  app.get('/lost', () => {
    throw new LongrunError('not_found', 'no such run', { hint: 'Look again.' });
  });
  app.get('/refused', () => {
    throw new RefusedBody([{ type: 'missing', loc: ['body', 'a', 0], msg: 'is not there' }]);
  });
  app.get('/bug', () => {
    throw new Error('a secret of the house');
  });
  app.post('/echo', (request) => ({ got: request.body ?? null }));
  onTestFinished(() => app.close());
  return listenOn(app, '127.0.0.1', 0);
}

test('on an interface that others reach it wants a token before it listens', () => {
  expect(() => createServer({ logger, host: '0.0.0.0', token: null })).toThrow(/token/);
  expect(createServer({ logger, host: '0.0.0.0', token: 't' })).toBeDefined();
});

test('an address that is none of this machine is named, and not tried for ever', async () => {
  const app = createServer({ logger: pino({ level: 'silent' }), host: '127.0.0.1', token: null });
  onTestFinished(() => app.close());
  await expect(listenOn(app, '192.0.2.1', 0)).rejects.toMatchObject({
    code: 'sink_refused',
    retryable: false,
    message: expect.stringContaining('192.0.2.1:0'),
  });
});

test('where there is a token, only who says it is answered', async () => {
  const url = await serving('open sesame');
  const ask = (authorization?: string) =>
    fetch(`${url}/small`, authorization === undefined ? {} : { headers: { authorization } });
  expect((await ask()).status).toBe(401);
  expect((await ask('Bearer open')).status).toBe(401);
  expect((await ask('open sesame')).status).toBe(401);
  expect((await ask('Bearer open sesame')).status).toBe(200);
});

test('where there is no token, pages of other sites are turned away', async () => {
  const url = await serving();
  const from = async (origin: string, method = 'GET') =>
    (await fetch(`${url}/small`, { method, headers: { origin } })).status;
  expect(await from('https://example.com')).toBe(403);
  expect(await from('https://example.com', 'OPTIONS')).toBe(403);
  expect(await from('http://localhost:3000')).toBe(200);
  expect(await from('http://127.0.0.1:3000', 'OPTIONS')).toBe(200);
});

test('where there is no token, what a page of another site embeds is turned away, too: it names no origin', async () => {
  const app = createServer({ logger, host: '127.0.0.1', token: null });
  onTestFinished(() => app.close());
  app.get('/small', () => ({ text: 'x' }));
  const from = async (headers: Record<string, string>) =>
    (await app.inject({ url: '/small', headers })).statusCode;
  expect(await from({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await from({ 'sec-fetch-site': 'same-site' })).toBe(403);
  expect(await from({ 'sec-fetch-site': 'cross-site', origin: 'http://localhost:3000' })).toBe(200);
  expect(await from({ 'sec-fetch-site': 'none' })).toBe(200);
  expect(await from({ 'sec-fetch-site': 'same-origin' })).toBe(200);
  expect(await from({})).toBe(200);
});

test('where there is no token, who asks by a name that is not of this machine is turned away', async () => {
  const asked = async (host: string, token: string | null = null, listensOn = '127.0.0.1') => {
    const app = createServer({ logger, host: listensOn, token });
    onTestFinished(() => app.close());
    app.get('/small', () => ({ text: 'x' }));
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    const answer = await app.inject({ url: '/small', headers: { host, ...authorization } });
    return [answer.statusCode, answer.json<{ error?: unknown }>().error];
  };
  const foreign = (name: string) => ({
    code: 'foreign_host',
    message: expect.stringContaining(`not to "${name}"; with one (--token-env) to any name`),
    path: null,
    accepted: 'localhost, 127.0.0.1 or [::1]',
  });
  for (const name of ['rebound.example.com:8001', '127.0.0.1.example.com', '10.0.0.7:8001', '[fe80::1]', ' '])
    expect(await asked(name), name).toEqual([403, foreign(name)]);
  for (const name of ['127.0.0.1:8001', '127.9.9.9', 'LocalHost:3000', 'localhost', '[::1]:8001'])
    expect(await asked(name), name).toEqual([200, undefined]);
  expect(await asked('trainers.example.com', 't', '0.0.0.0')).toEqual([200, undefined]);
});

test('where there is one, pages of any origin may ask, as at the original server', async () => {
  const url = await serving('t');
  const preflight = await fetch(`${url}/echo`, {
    method: 'OPTIONS',
    headers: { origin: 'http://a', 'access-control-request-headers': 'content-type, authorization' },
  });
  expect(preflight.status).toBe(200);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
  const asked = await fetch(`${url}/small`, { headers: { origin: 'http://a', authorization: 'Bearer t' } });
  expect(asked.status).toBe(200);
  expect(asked.headers.get('access-control-allow-origin')).toBe('*');
});

test('answers above 1000 bytes are compressed for who accepts that', async () => {
  const url = await serving();
  const encoding = async (path: string, accepted: string) =>
    (await fetch(`${url}${path}`, { headers: { 'accept-encoding': accepted } })).headers.get(
      'content-encoding',
    );
  expect(await encoding('/large', 'gzip')).toBe('gzip');
  expect(await encoding('/large', 'identity')).toBeNull();
  expect(await encoding('/small', 'gzip')).toBeNull();
  expect(await (await fetch(`${url}/large`)).json()).toEqual({ text: 'x'.repeat(5_000) });
});

test.each([
  ['/lost', 404, { code: 'not_found', message: 'no such run', hint: 'Look again.' }],
  ['/refused', 422, { code: 'bad_input', message: 'body.a.0: is not there' }],
  ['/bug', 500, { code: 'internal', message: 'The server failed.', hint: 'Its log says why.' }],
  ['/nowhere', 404, { code: 'not_found', message: 'There is no GET /nowhere' }],
])(
  '%s fails with a document that says what is wrong and nothing of the inside',
  async (path, status, error) => {
    const answer = await fetch(`${await serving()}${path}`);
    expect([answer.status, ((await answer.json()) as { error: unknown }).error]).toEqual([status, error]);
  },
);

test('a body is JSON whatever it calls itself, and none at all is none', async () => {
  const url = await serving();
  const echo = async (init: RequestInit) =>
    await (await fetch(`${url}/echo`, { method: 'POST', ...init })).json();
  expect(await echo({ body: '{"a":1}', headers: { 'content-type': 'text/plain' } })).toEqual({
    got: { a: 1 },
  });
  expect(await echo({})).toEqual({ got: null });
  expect(await echo({ headers: { 'content-type': 'application/json' } })).toEqual({ got: null });
});

test('a taken port is named, and may be tried again', async () => {
  const holder = createNetServer();
  await new Promise<void>((done) => holder.listen(0, '127.0.0.1', done));
  onTestFinished(() => void holder.close());
  const { port } = holder.address() as { port: number };
  const app = createServer({ logger, host: '127.0.0.1', token: null });
  onTestFinished(() => app.close());
  await expect(listenOn(app, '127.0.0.1', port)).rejects.toMatchObject({
    code: 'already_exists',
    retryable: true,
    message: `127.0.0.1:${port} is in use by another process`,
  });
});
