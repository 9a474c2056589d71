import { describe, expect, it, vi } from 'vitest';
import { threat } from '../../../../support/threat.js';
import { type Answered, FuzzedListener, type Sent } from './fuzzed-listener.js';
import { GOOD_REQUESTS, PATHS } from './good-requests.js';
import { costly, exchanged, mutated, packed } from './hostile-body.js';
import { Random } from './random.js';

const REQUESTS = 1_500;
vi.setConfig({ testTimeout: 300_000 });

const MB = 1024 * 1024;
/** Of one request, in processor time. */
const MOST_CPU_MS = 1_000;
const MOST_GROWTH_MB = 40;
const JSON_TYPE = { 'content-type': 'application/json' };

function nextRequest(random: Random): Sent {
  const good = random.of(GOOD_REQUESTS);
  const takesData = good.path.startsWith('/scored_data');
  const kind = random.below(20);
  if (kind === 0)
    return { method: random.of(['GET', 'DELETE', 'POST', 'PUT']), path: random.of(PATHS), body: null };
  const size = 2 ** (10 + random.below(takesData && random.below(4) === 0 ? 14 : 7));
  const body =
    kind < 7 ? mutated(random, good.body) : kind < 13 ? exchanged(random, good.body) : costly(random, size);
  if (random.below(8) > 0) return { ...good, body, headers: JSON_TYPE };
  return { ...good, body: packed(random, body), headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } };
}

describe(threat('a client of the HTTP API', 'the process that answers everybody'), () => {
  it('no body fails the server, holds it up for a second, or stays in its memory', async () => {
    const seed = Number(process.env.LONGRUN_FUZZ_SEED ?? Date.now() % 2 ** 31);
    const random = new Random(seed);
    const listener = await FuzzedListener.start();
    await prepare(listener);
    const before = await listener.heapMb();
    await listener.usedMs();
    const statuses = new Map<number, number>();
    let slowest = 0;
    for (let i = 0; i < REQUESTS; i++) {
      const sent = nextRequest(random);
      const { answer, cpuMs } = await timed(listener, sent);
      const told = `LONGRUN_FUZZ_SEED=${seed}: ${describeSent(sent)} → ${answer.status} ${answer.text.slice(0, 300)}`;
      expect(isSound(answer), told).toBe(true);
      const alone = cpuMs < MOST_CPU_MS ? cpuMs : await leastOf(listener, sent);
      expect(alone, told).toBeLessThan(MOST_CPU_MS);
      slowest = Math.max(slowest, alone);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
    await listener.ask({ method: 'GET', path: '/reset_data', body: null });
    await prepare(listener);
    const growth = (await listener.heapMb()) - before;
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${n} × ${status}`);
    console.info(
      `seed ${seed}: ${counts.join(', ')}; at most ${Math.round(slowest)} ms; ${growth.toFixed(1)} MB more`,
    );
    expect(growth, `LONGRUN_FUZZ_SEED=${seed}`).toBeLessThan(MOST_GROWTH_MB);
    // Otherwise it would have been turned away at one door, and nothing was tried.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 413, 422]));
  });
});

/** Whatever is loaded once is loaded, and a trainer has registered. */
async function prepare(listener: FuzzedListener): Promise<void> {
  for (const { method, path, body } of [...GOOD_REQUESTS, ...GOOD_REQUESTS])
    await listener.ask({ method, path, body: Buffer.from(body), headers: JSON_TYPE });
  for (const path of PATHS) await listener.ask({ method: 'GET', path, body: null });
  // Both as long as they may be: what is allocated for them stays with the process.
  for (const part of ['1,', '[],'])
    await listener.json('/scored_data', `[${part.repeat((8 * MB) / part.length)}1]`);
}

async function timed(listener: FuzzedListener, sent: Sent): Promise<{ answer: Answered; cpuMs: number }> {
  const answer = await listener.ask(sent);
  return { answer, cpuMs: await listener.usedMs() };
}

/** Once more, alone: something else may have run in the process before. */
async function leastOf(listener: FuzzedListener, sent: Sent): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i++) least = Math.min(least, (await timed(listener, sent)).cpuMs);
  return least;
}

/** Refused by name, or done. A queue that is full is the one reason to be asked again later. */
function isSound({ status, text }: Answered): boolean {
  if (status === 503) return text.includes('sink_unavailable');
  return status >= 200 && status < 500;
}

function describeSent({ method, path, body, headers }: Sent): string {
  const encoding = headers?.['content-encoding'] ?? 'plain';
  return `${method} ${path.slice(0, 100)} (${body?.length ?? 0} bytes, ${encoding}) ${body?.toString('latin1').slice(0, 300)}`;
}
