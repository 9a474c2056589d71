import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { groupIds, Listening, listeningRun, posted } from './support/listening.js';

// Each writes hundreds of small files, synced one by one.
vi.setConfig({ testTimeout: 60_000 });

const listeningFor = async (batchSize: number, serve = {}) => {
  const listening = await Listening.start(await listeningRun({ groupSize: 2, serve }));
  await listening.register(batchSize);
  return listening;
};

test('groups of other producers are handed out beside those of the run', async () => {
  const serve = await listeningRun({ groupSize: 2 });
  await serve.closeMany(1);
  const listening = await Listening.start(serve);
  await listening.register(4);
  await listening.queued(1);
  const extra = { group_overrides: { group_id: 'theirs' }, generation_params: { temperature: 0.7 } };
  expect(await listening.post('/scored_data', posted(2, 1, extra))).toEqual({ status: 'received' });
  const { batch } = await listening.batch();
  expect(groupIds({ batch })).toEqual(['run/t0/0', 'theirs']);
  expect(batch?.[1]).toMatchObject({
    ...posted(2, 1),
    generation_params: { temperature: 0.7 },
    messages: null,
  });
});

test('numbers keep their kind on the way: scores and log-probabilities have a point, ids have none', async () => {
  const listening = await listeningFor(2);
  await listening.send(
    '/scored_data',
    posted(2, 7, {
      scores: ['1', true],
      advantages: [
        [0, 1, 2],
        [0, 0, 1e-7],
      ],
    }),
  );
  const text = await (await listening.request('/batch')).text();
  expect(text).toContain('"tokens": [[7,5,9],[7,5,10]]');
  expect(text).toContain('"scores": [1.0,1.0]');
  expect(text).toContain('"inference_logprobs": [[1.0,1.0,-0.25],[1.0,1.0,-0.25]]');
  expect(text).toContain('"advantages": [[0.0,1.0,2.0],[0.0,0.0,1e-7]]');
});

test('a group that is posted twice counts once, by its id or else by its content, also after it was handed out', async () => {
  const serve = await listeningRun({ groupSize: 2 });
  const listening = await Listening.start(serve);
  await listening.register(2);
  const named = posted(2, 1, { group_overrides: { group_id: 'g', item: 0 } });
  const spelt = posted(2, 2, { group_overrides: { group_id: 'g', item: 0 } });
  const another = posted(2, 3, { group_overrides: { group_id: 'g', item: 1 } });
  const nameless = posted(2, 4);
  for (const body of [named, another, nameless])
    expect(await listening.post('/scored_data', body)).toEqual({ status: 'received' });
  for (const body of [named, spelt, nameless])
    expect(await listening.post('/scored_data', body)).toEqual({ status: 'received', duplicate: true });
  expect(await listening.get('/status')).toEqual({ current_step: 0, queue_size: 3 });
  for (let ack = 0; ack < 4; ack++) await listening.batch(ack);
  await listening.stop();
  const after = await Listening.start(serve);
  for (const body of [named, nameless])
    expect(await after.post('/scored_data', body)).toEqual({ status: 'received', duplicate: true });
  expect(await after.get('/status')).toEqual({ current_step: 3, queue_size: 0 });
});

test('the same group posted by many at once counts once', async () => {
  const listening = await listeningFor(2);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => listening.post('/scored_data', posted(2, 1))),
  );
  expect(answers.filter((answer) => !('duplicate' in (answer as object)))).toHaveLength(1);
  expect(await listening.get('/status')).toEqual({ current_step: 0, queue_size: 1 });
});

const text = JSON.stringify(posted(2, 1));
test.each([
  ['the literal NaN', text.replace('-0.25', 'NaN'), 'NaN'],
  ['the literal -Infinity', text.replace('-0.25', '-Infinity'), '-Infinity'],
  ['a number too large to be one', text.replace('-0.25', '-1e999'), 'body.inference_logprobs.0.2'],
  ['the string "-inf"', text.replace('-0.25', '"-inf"'), 'body.inference_logprobs.0.2'],
  ['the string "nan"', JSON.stringify(posted(2, 1, { scores: ['nan', 1] })), 'body.scores.0'],
  ['null in place of a number', text.replace('-0.25', 'null'), 'body.inference_logprobs.0.2'],
  ['masks of another length', JSON.stringify(posted(2, 1, { masks: [[1], [1, 2, 3]] })), 'body.masks.0'],
  ['one score too few', JSON.stringify(posted(2, 1, { scores: [1] })), 'body.scores'],
  ['no tokens', JSON.stringify({ masks: [], scores: [] }), 'body.tokens'],
  ['no sequence at all', JSON.stringify({ tokens: [], masks: [], scores: [] }), 'body.tokens'],
  [
    'a message without a role',
    JSON.stringify(posted(2, 1, { messages: [[{ content: 'a' }]] })),
    'body.messages',
  ],
  ['a torn document', text.slice(0, -5), 'body'],
  ['a size that no batch can hold', JSON.stringify(posted(3, 1)), 'never fits'],
])('%s is refused at the door, and the place is named', async (_what, body, named) => {
  const listening = await listeningFor(8);
  const answer = await listening.send('/scored_data', body);
  expect(answer.status).toBe(422);
  const document = (await answer.json()) as { detail: { loc: unknown[]; msg: string }[] };
  expect(document.detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join()).toContain(named);
  expect(await listening.get('/status')).toEqual({ current_step: 0, queue_size: 0 });
});

test('one bad item refuses a whole list', async () => {
  const listening = await listeningFor(8);
  const answer = await listening.send('/scored_data_list', [posted(2, 1), posted(2, 2, { scores: [1] })]);
  expect(answer.status).toBe(422);
  expect(JSON.stringify(await answer.json())).toContain('["body",1,"scores"]');
  expect(await listening.get('/status')).toEqual({ current_step: 0, queue_size: 0 });
});

test('groups of sizes that divide the batch are mixed, and one that has no partner yet holds up nobody', async () => {
  const listening = await listeningFor(12);
  for (const [first, size] of [4, 6, 4, 4].entries())
    await listening.send('/scored_data', posted(size, first));
  const sizes = async () => (await listening.batch(0)).batch?.map(({ tokens }) => tokens.length) ?? null;
  expect(await sizes()).toEqual([4, 4, 4]);
  await listening.send('/scored_data', posted(6, 9));
  expect((await listening.batch(1)).batch?.map(({ tokens }) => tokens.length)).toEqual([6, 6]);
});

test('a full queue answers 503 with Retry-After to others, and takes them again once it is emptied', async () => {
  const listening = await listeningFor(4, { maxQueue: 2 });
  for (const first of [1, 2])
    expect((await listening.send('/scored_data', posted(2, first))).status).toBe(200);
  const refused = await listening.send('/scored_data', posted(2, 3));
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([503, true]);
  expect((await listening.batch(0)).batch).toHaveLength(2);
  expect((await listening.send('/scored_data', posted(2, 3))).status).toBe(200);
});

test('bodies may be compressed, and what cannot be unpacked is refused', async () => {
  const listening = await listeningFor(4);
  const send = (body: Buffer) =>
    listening.request('/scored_data', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: new Uint8Array(body),
    });
  const packed = gzipSync(text);
  expect((await send(packed)).status).toBe(200);
  expect((await send(Buffer.from('no gzip'))).status).toBe(400);
  expect((await send(packed.subarray(0, 40))).status).toBe(400);
});
