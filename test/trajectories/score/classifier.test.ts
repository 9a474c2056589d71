import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ClassifierScorer } from '../../../src/trajectories/score/classifier-scorer.js';
import { episodeOf } from '../../core/reward/episode-of.js';
import { items, outcomesOf } from './support.js';

// biome-ignore lint/suspicious/noExplicitAny: the body as it came.
type Handler = (body: any, response: ServerResponse, request: IncomingMessage, nth: number) => void;

async function classifier(handler: Handler, options: { batch?: number; apiKey?: string } = {}) {
  let nth = 0;
  const server = createServer(async (request, response) => {
    nth += 1;
    const at = nth;
    handler(await json(request), response, request, at);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new ClassifierScorer({
    endpoint: {
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/score`,
      apiKey: options.apiKey ?? null,
      loopback: true,
    },
    env: {},
    batch: options.batch ?? 1,
    concurrency: 2,
    timeoutMs: 5_000,
    now: Date.now,
  });
}

const send = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};

describe('a classifier endpoint', () => {
  it('is given the conversation as chat messages, and no reward', async () => {
    let seen: Record<string, unknown> = {};
    const scorer = await classifier(
      (body, response, request) => {
        seen = { ...body, authorization: request.headers.authorization };
        send(response, 200, { score: -1.5, criteria: { toxicity: 0.1 }, rationale: 'mild', model: 'rm-7b' });
      },
      { apiKey: 'secret' },
    );
    const episode = episodeOf([
      { says: 'Done.', calls: [{ name: 'terminal', args: { command: 'ls' }, ok: true }] },
    ]);
    const found = await outcomesOf(scorer, items([episode]));
    // A reward model's scale is its own.
    expect(found.get('item-0')).toMatchObject({
      score: { score: -1.5, components: { toxicity: 0.1 }, rationale: 'mild', model: 'rm-7b' },
    });
    expect(seen).toMatchObject({
      schema_version: 1,
      id: 'item-0',
      session_id: 'run__task__0',
      authorization: 'Bearer secret',
      messages: [
        { role: 'user', content: 'Sum the column.' },
        {
          role: 'assistant',
          tool_calls: [{ function: { name: 'terminal', arguments: '{"command":"ls"}' } }],
        },
        { role: 'tool', tool_call_id: 'call_0_0', content: 'done' },
      ],
    });
    expect(JSON.stringify(seen)).not.toContain('reward');
  });

  it('takes several at once, and one that it cannot score costs the others nothing', async () => {
    const sizes: number[] = [];
    const scorer = await classifier(
      (body, response) => {
        sizes.push(body.items.length);
        const scores = body.items.map(({ id }: { id: string }) =>
          id === 'item-1' ? { error: 'too long' } : { score: Number(id.slice(5)) },
        );
        send(response, 200, { scores });
      },
      { batch: 3 },
    );
    const found = await outcomesOf(scorer, items(Array.from({ length: 7 }, () => episodeOf([{}]))));
    expect(sizes.sort()).toEqual([1, 3, 3]);
    expect(found.get('item-6')).toMatchObject({ score: { score: 6 } });
    expect(found.get('item-1')).toMatchObject({ error: { message: expect.stringContaining('too long') } });
    expect([...found.values()].filter((outcome) => 'score' in outcome)).toHaveLength(6);
  });

  it('is asked again when it is busy or fails, and says so itself where it cannot score', async () => {
    const scorer = await classifier((body, response, _, nth) => {
      if (nth === 1) return send(response, 429, {}, { 'retry-after': '0.05' });
      if (nth === 2) return response.destroy();
      if (body.id === 'item-0') return send(response, 200, { score: 0.5 });
      return send(response, 200, { score: 'high' });
    });
    const found = await outcomesOf(scorer, items([episodeOf([{}]), episodeOf([{}])]));
    expect(found.get('item-0')).toMatchObject({ score: { score: 0.5 } });
    expect(found.get('item-1')).toMatchObject({
      error: { message: expect.stringContaining('score: Invalid input') },
    });
  });

  it('that is not there, or answers fewer scores than items, is a failure with a reason', async () => {
    const few = await classifier((_, response) => send(response, 200, { scores: [] }), { batch: 2 });
    const found = await outcomesOf(few, items([episodeOf([{}])]));
    expect(found.get('item-0')).toMatchObject({
      error: { message: expect.stringContaining('0 scores for 1 items') },
    });
    const gone = await classifier((_, response) => send(response, 404, { error: { message: 'no route' } }));
    await expect(outcomesOf(gone, items([episodeOf([{}])]))).rejects.toThrow(/404/);
  });
});
