import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LongrunError } from '../../../src/core/errors.js';
import { type ArtifactStore, openStore } from '../../../src/store/index.js';
import { borrowEnv, S3Server } from '../../support/s3-server.js';
import { bytes, tempStateDir, text } from '../temp-store.js';
import { type Fault, FaultProxy } from './fault-proxy.js';

let server: S3Server;
let proxy: FaultProxy;
let giveBack: () => void;
let store: ArtifactStore;
let stores = 0;

beforeAll(async () => {
  server = await S3Server.start();
  giveBack = borrowEnv(server.env);
});
afterAll(async () => {
  giveBack();
  await server.stop();
});
beforeEach(async () => {
  proxy = await FaultProxy.start(server.endpoint);
  store = await openStore(await tempStateDir(), { LONGRUN_STORE: urlOf(`faults-${stores++}`) });
});
afterEach(() => proxy.stop());

const urlOf = (prefix: string) => `s3://longrun/${prefix}?endpoint=${proxy.endpoint}`;

/** The faults of the next requests, one each; all later ones pass. */
function next(...faults: Fault[]): void {
  const left = [...faults];
  proxy.decide = () => left.shift() ?? 'pass';
}

const refusedWith = async (call: Promise<unknown>): Promise<LongrunError> => {
  const error = await call.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (!LongrunError.is(error)) throw new Error(`not an error of ours: ${String(error)}`);
  return error;
};

describe('a write whose answer was lost', () => {
  it('is known to have won, though the next try was refused because of it', async () => {
    next('lose-answer');
    expect(await store.putIfAbsent('k', bytes('mine'))).toBe(true);
    expect(proxy.seen.filter((method) => method === 'PUT').length).toBeGreaterThan(2);
    expect(text(await store.get('k'))).toBe('mine');
  });

  it('is known to have lost to somebody else', async () => {
    const other = await openStore(await tempStateDir(), {
      LONGRUN_STORE: server.url(`faults-${stores - 1}`),
    });
    await other.putIfAbsent('k', bytes('theirs'));
    next('lose-answer');
    expect(await store.putIfAbsent('k', bytes('mine'))).toBe(false);
    expect(text(await store.get('k'))).toBe('theirs');
  });

  it('counts as won when the server answers again and the caller comes back with the same value', async () => {
    let lost = true;
    proxy.decide = () => (lost ? 'lose-answer' : 'pass');
    expect(await refusedWith(store.putIfAbsent('k', bytes('mine')))).toMatchObject({
      code: 'store_unavailable',
      retryable: true,
    });
    lost = false;
    expect(await store.putIfAbsent('k', bytes('mine'))).toBe(true);
    expect(await store.putIfAbsent('k', bytes('mine'))).toBe(false);
  });

  it('does not count as won for another value', async () => {
    let lost = true;
    proxy.decide = () => (lost ? 'lose-answer' : 'pass');
    await refusedWith(store.putIfAbsent('k', bytes('first')));
    lost = false;
    expect(await store.putIfAbsent('k', bytes('second'))).toBe(false);
    expect(text(await store.get('k'))).toBe('first');
  });
});

describe('a busy or broken server', () => {
  it('is asked again: conflicts, overload, and values that break off on their way', async () => {
    const conflict: Fault = { status: 409, code: 'ConditionalRequestConflict' };
    next(conflict, conflict, conflict);
    expect(await store.putIfAbsent('k', bytes('x'.repeat(500_000)))).toBe(true);
    next({ status: 503, code: 'SlowDown' });
    await store.put('other', bytes('x'));
    next('break-answer', 'break-answer');
    expect((await store.get('k'))?.length).toBe(500_000);
  });

  it.each([
    [{ status: 503, code: 'SlowDown' }, 'store_unavailable'],
    [{ status: 500, code: 'InternalError' }, 'store_unavailable'],
    [{ status: 507, code: 'InsufficientStorage' }, 'store_full'],
    [{ status: 403, code: 'QuotaExceeded' }, 'store_full'],
    [{ status: 403, code: 'ExpiredToken' }, 'store_unavailable'],
    [{ status: 404, code: 'NoSuchBucket' }, 'store_unavailable'],
  ] as const)('that goes on with %j is %s, worth another try later', async (fault, code) => {
    proxy.decide = () => fault;
    for (const call of [
      () => store.put('k', bytes('x')),
      () => store.get('k'),
      () => store.children('k'),
      () => store.remove('k'),
    ]) {
      expect(await refusedWith(call())).toMatchObject({ code, retryable: true, hint: expect.any(String) });
    }
  });

  it('that stands still for a moment is waited for', async () => {
    server.freeze();
    const reads = Promise.all([store.putIfAbsent('k', bytes('x')), store.children('none')]);
    await sleep(1_500);
    server.thaw();
    expect(await reads).toEqual([true, []]);
  });

  it('that went away and came back is used again, without opening the store anew', async () => {
    await store.put('k', bytes('kept'));
    await server.kill();
    const error = await refusedWith(store.get('k'));
    expect(error).toMatchObject({ code: 'store_unavailable', retryable: true });
    expect(error.hint).toContain(proxy.endpoint);
    await server.up();
    expect(text(await store.get('k'))).toBe('kept');
  });
});

describe('what somebody has to correct', () => {
  const open = async (url: string) => refusedWith(openStore(await tempStateDir(), { LONGRUN_STORE: url }));

  it('is named before anything starts: the secret, the key, the bucket', async () => {
    const wrong: Record<string, string>[] = [
      { AWS_SECRET_ACCESS_KEY: 'wrong-secret' },
      { AWS_ACCESS_KEY_ID: 'nobody' },
    ];
    for (const env of wrong) {
      const giveBackThis = borrowEnv(env);
      const error = await open(server.url('x')).finally(giveBackThis);
      expect(error).toMatchObject({ code: 'bad_input', exitCode: 2 });
      expect(error.hint).toContain('AWS_ACCESS_KEY_ID');
      expect(JSON.stringify([error.message, error.hint, error.details])).not.toContain('wrong-secret');
    }
    const noBucket = await open(`s3://missing/x?endpoint=${server.endpoint}`);
    expect(noBucket).toMatchObject({ code: 'bad_input', exitCode: 2 });
    expect(noBucket.hint).toContain('create the bucket');
  });

  it('is named when there are no credentials at all', async () => {
    const giveBackThis = borrowEnv({ AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' });
    const error = await open(server.url('x')).finally(giveBackThis);
    expect(error).toMatchObject({ code: 'bad_input', exitCode: 2 });
    expect(error.hint).toContain('AWS_PROFILE');
  });

  it('is named when the server takes no notice of conditions: two executors would both win', async () => {
    proxy.decide = (method) => (method === 'PUT' ? { status: 200, code: '' } : 'pass');
    expect(await open(urlOf('ignoring'))).toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('If-None-Match'),
    });
    proxy.decide = (method) => (method === 'PUT' ? { status: 501, code: 'NotImplemented' } : 'pass');
    expect(await open(urlOf('lacking'))).toMatchObject({
      code: 'bad_input',
      hint: expect.stringContaining('If-None-Match'),
    });
  });

  it('is not a server that is only away', async () => {
    const gone = proxy.endpoint;
    await proxy.stop();
    expect(await open(`s3://longrun/x?endpoint=${gone}`)).toMatchObject({
      code: 'store_unavailable',
      exitCode: 1,
    });
    proxy = await FaultProxy.start(server.endpoint);
  });
});
