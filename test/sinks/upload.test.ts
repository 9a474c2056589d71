import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Episode } from '../../src/core/trajectory/episode.schema.js';
import { type UploadOptions, uploadEpisodes, uploadLedgerFile } from '../../src/sinks/upload/index.js';
import { assistant, episode, timeStep, user } from '../trajectories/support/episodes.js';
import { folder } from '../trajectories/support/folder.js';
import { TestReceiver } from './support/receiver.js';

const names = (n: number): string[] => Array.from({ length: n }, (_, i) => `row-${i}`);
const row = (name: string): Episode => episode(name, [timeStep([user(`Task ${name}`), assistant('Done.')])]);
async function* rowsOf(all: readonly string[]): AsyncGenerator<Episode> {
  for (const name of all) yield row(name);
}

/** Uploads by batches of four, with one ledger a receiver. */
function uploader(receiver: TestReceiver) {
  const ledgerFile = join(folder(), 'uploads', 'ledger.jsonl');
  const upload = (all: readonly string[], options: Partial<UploadOptions> = {}) =>
    uploadEpisodes({
      ...{
        episodes: rowsOf(all),
        endpoint: receiver.endpoint,
        apiKey: 'nk-very-secret',
        ledgerFile,
        env: {},
      },
      ...{ batchRows: 4, backoffMs: 5, maxWaitMs: 30_000, ...options },
    });
  return { upload, ledgerFile };
}

describe('an upload', () => {
  it('stores each row once, whatever happens on the way', async () => {
    const receiver = await TestReceiver.start(
      ...[
        '429 0.02',
        '500',
        'cut',
        'stored, then cut',
        'well',
        'half of it',
        '503',
        'stored, then half an answer',
      ],
    );
    const report = await uploader(receiver).upload(names(18));
    expect(report).toMatchObject({ rows: 18, stored: 18, already: 0, parked: 0 });
    expect(receiver.stored().rows).toEqual(names(18));
    expect(receiver.stored().repeats).toBe(4 + 2);
  });

  it('goes on when the receiver is killed and started again', async () => {
    const receiver = await TestReceiver.start('well', 'stored, then killed');
    const upload = uploader(receiver).upload(names(16));
    await receiver.ended();
    await receiver.restart('stored, then killed');
    await receiver.ended();
    await receiver.restart();
    expect(await upload).toMatchObject({ stored: 16 });
    expect(receiver.stored().rows).toEqual(names(16));
  });

  it('sends nothing again that was acknowledged, and what is new', async () => {
    const receiver = await TestReceiver.start();
    const { upload } = uploader(receiver);
    await upload(names(6));
    expect(await upload([...names(8), 'row-7'])).toMatchObject({
      rows: 9,
      stored: 2,
      already: 7,
      requests: 1,
    });
    expect(receiver.stored()).toEqual({ rows: names(8), repeats: 0 });
  });

  it('goes on after a crash that tore the last line of its ledger', async () => {
    const receiver = await TestReceiver.start();
    const { upload, ledgerFile } = uploader(receiver);
    await upload(names(4));
    const lines = readFileSync(ledgerFile, 'utf8');
    writeFileSync(ledgerFile, lines.slice(0, -20));
    expect(await upload(names(5))).toMatchObject({ already: 3, stored: 2 });
    expect(await upload(names(5))).toMatchObject({ already: 5, stored: 0, requests: 0 });
    expect(receiver.stored()).toEqual({ rows: names(5), repeats: 1 });
  });

  it('says the same key for the same rows, in packed lines of JSON', async () => {
    const receiver = await TestReceiver.start('500');
    await uploader(receiver).upload(names(2));
    const [first, second] = receiver.requests.map(({ headers }) => headers);
    expect(first).toMatchObject({
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
      authorization: 'Bearer nk-very-secret',
    });
    expect(first?.['idempotency-key']).toMatch(/^[0-9a-f]{64}$/);
    expect(second?.['idempotency-key']).toBe(first?.['idempotency-key']);
  });

  it('keeps within rows and bytes of a batch', async () => {
    const receiver = await TestReceiver.start();
    await uploader(receiver).upload(names(5), { batchBytes: 5_000, gzip: false });
    expect(receiver.requests.map(({ rows }) => rows.length)).toEqual([3, 2]);
    expect(receiver.requests[0]?.headers['content-encoding']).toBeUndefined();
  });
});

describe('rows that a receiver refuses', () => {
  const mixed = ['row-0', 'poor-1', 'row-2', 'row-3', 'row-4', 'poor-5'];

  it('are found by splitting the batch, and hold up no other', async () => {
    const receiver = await TestReceiver.start();
    const { upload } = uploader(receiver);
    const parked: string[] = [];
    const report = await upload(mixed, {
      onParked: ({ sessionId, reason }) => parked.push(`${sessionId}: ${reason}`),
    });
    expect(report).toMatchObject({ stored: 4, parked: 2 });
    expect(parked).toEqual(['poor-1: 422: a row is poor', 'poor-5: 422: a row is poor']);
    expect(receiver.stored()).toEqual({ rows: ['row-0', 'row-2', 'row-3', 'row-4'], repeats: 0 });
  });

  it('are not sent again, unless asked for', async () => {
    const receiver = await TestReceiver.start('rejects poor rows', 'rejects poor rows', 'rejects poor rows');
    const { upload } = uploader(receiver);
    expect(await upload(mixed)).toMatchObject({ stored: 4, parked: 2, requests: 2 });
    expect(await upload(mixed)).toMatchObject({ stored: 0, parkedEarlier: 2, requests: 0 });
    expect(await upload(mixed, { retryParked: true })).toMatchObject({ parked: 2, requests: 1 });
  });

  it('are the fault of the receiver where it refuses all of them', async () => {
    const receiver = await TestReceiver.start();
    const { upload } = uploader(receiver);
    const poor = names(60).map((name) => `poor-${name}`);
    await expect(upload(poor)).rejects.toMatchObject({
      code: 'sink_refused',
      message: expect.stringContaining('each of the first 20 rows'),
    });
    expect(await upload(poor.slice(0, 2))).toMatchObject({ parked: 2, parkedEarlier: 0 });
  });
});

describe('an upload ends', () => {
  it.each([['401'], ['404'], ['301']])(
    'at once where the endpoint answers %s, without the key in the message',
    async (fault) => {
      const receiver = await TestReceiver.start('well', fault);
      const failure = await uploader(receiver)
        .upload(names(8))
        .catch((error) => error);
      expect(failure).toMatchObject({ code: 'sink_refused' });
      expect(failure.message).toContain(fault);
      expect(failure.message).not.toContain('nk-very-secret');
      expect(receiver.requests).toHaveLength(2);
    },
  );

  it('when nothing was stored for too long, and can be gone on with', async () => {
    const receiver = await TestReceiver.start('well', '429 3600');
    const { upload } = uploader(receiver);
    await expect(upload(names(8))).rejects.toMatchObject({
      code: 'sink_unavailable',
      retryable: true,
      message: expect.stringContaining('429: slowly'),
    });
    expect(await upload(names(8))).toMatchObject({ already: 4, stored: 4 });
  });

  it('when it is interrupted while it waits', async () => {
    const receiver = await TestReceiver.start('429 20');
    const stop = new AbortController();
    const upload = uploader(receiver).upload(names(2), { signal: stop.signal, onWait: () => stop.abort() });
    await expect(upload).rejects.toMatchObject({ code: 'cancelled', exitCode: 130 });
  });
});

describe('an endpoint', () => {
  const refusal = (endpoint: string, insecure = false) =>
    uploadEpisodes({
      episodes: rowsOf([]),
      endpoint,
      apiKey: null,
      ledgerFile: join(folder(), 'l.jsonl'),
      env: {},
      insecure,
    }).then(
      () => null,
      (error) => error.message,
    );

  it('is encrypted, unless it is on this machine or that is said', async () => {
    expect(await refusal('http://training.example.org/rows')).toBe(
      '--endpoint: http://training.example.org/rows is not encrypted.',
    );
    expect(await refusal('http://training.example.org/rows', true)).toBeNull();
    expect(await refusal('https://training.example.org/rows')).toBeNull();
    expect(await refusal('http://127.0.0.1:9/rows')).toBeNull();
  });

  it('is an address without a password in it', async () => {
    expect(await refusal('training')).toContain('found "training"');
    const message = await refusal('https://me:hunter2@example.org/');
    expect(message).toContain('has a user or a password in it');
    expect(message).not.toContain('hunter2');
  });

  it('has a ledger of its own', () => {
    expect(uploadLedgerFile('/s', 'https://a.org/')).not.toBe(uploadLedgerFile('/s', 'https://b.org/'));
  });
});

it('a dry run counts, and sends nothing', async () => {
  const receiver = await TestReceiver.start();
  const report = await uploader(receiver).upload(names(6), { dryRun: true });
  expect(report).toMatchObject({ rows: 6, stored: 6, requests: 2 });
  expect(report.bytes).toBeGreaterThan(1_000);
  expect(receiver.requests).toEqual([]);
});
