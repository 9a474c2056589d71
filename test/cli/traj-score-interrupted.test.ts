import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { episodeOf } from '../core/reward/episode-of.js';
import { modelServer } from '../support/model-run.js';
import { after, type SeenCall, says } from '../support/model-server.js';
import { temporaryFolder } from '../support/state.js';
import { until } from '../support/until.js';
import { episodeFile } from './support/episode-file.js';
import { longrun } from './support/longrun.js';
import { startLongrun } from './support/process.js';

const ROWS = 40;
const CONCURRENCY = 4;

/** A judge that takes its time, and the command that asks it. */
async function slowJudge() {
  const folder = await temporaryFolder();
  const episodes = Array.from({ length: ROWS }, (_, i) =>
    episodeOf([{ says: `answer ${i}.` }], { sessionId: `s${i}` }),
  );
  const input = await episodeFile(join(folder, 'in.jsonl'), episodes);
  const output = join(folder, 'scored.jsonl');
  const server = await modelServer(() =>
    after(60, says('{"criteria": {"outcome": 1, "process": 1, "honesty": 1}}')),
  );
  const argv = [
    ...['traj', 'score', input, '--output', output, '--reward-model', 'test-model'],
    ...['--base-url', server.baseUrl, '--concurrency', String(CONCURRENCY)],
  ];
  const ledger = async (): Promise<string[]> => {
    const text = await readFile(join(folder, 'scored.scores.jsonl'), 'utf8').catch(() => '');
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).value.session_id);
  };
  return { server, argv, output, ledger };
}

const sessionOf = (call: SeenCall): string =>
  `s${/answer (\d+)\./.exec(call.messages[1]?.content ?? '')?.[1] ?? '?'}`;

describe('scoring that is interrupted', () => {
  it('by kill -9 goes on where it was: nothing that was kept is paid for again', async () => {
    const { server, argv, output, ledger } = await slowJudge();
    const first = startLongrun(argv, {});
    await until(async () => (await ledger()).length >= 10, { what: 'ten scores are kept' });
    first.process.kill('SIGKILL');
    await first.ended;
    const kept = await ledger();
    expect(kept.length).toBeLessThan(ROWS);
    await expect(readFile(output)).rejects.toThrow();
    const second = await longrun([...argv, '--json']);
    expect(second.code).toBe(0);
    expect(second.json()).toMatchObject({ rows: ROWS, rewarded: ROWS, asked: { reused: kept.length } });
    const times = (session: string): number =>
      server.seen.filter((call) => sessionOf(call) === session).length;
    for (const session of kept) expect(times(session)).toBe(1);
    // Of the others at most those in the air were asked twice.
    expect(server.seen.length).toBeLessThanOrEqual(ROWS + CONCURRENCY);
  });

  it('by Ctrl-C finishes and keeps what is in the air, and says how to go on', async () => {
    const { server, argv, ledger } = await slowJudge();
    const first = startLongrun(argv, {});
    await until(async () => (await ledger()).length >= 5, { what: 'five scores are kept' });
    first.process.kill('SIGINT');
    expect(await first.ended).toBe(130);
    expect(first.output.stderr).toMatch(/interrupted[\s\S]*The same command goes on/);
    expect((await ledger()).sort()).toEqual(server.seen.map(sessionOf).sort());
    expect((await ledger()).length).toBeLessThan(ROWS);
    const second = await longrun([...argv, '--json']);
    expect(second.json()).toMatchObject({ rewarded: ROWS });
    expect(server.seen).toHaveLength(ROWS);
  });
});
