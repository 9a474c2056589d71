import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { episodeOf, signal } from '../core/reward/episode-of.js';
import { temporaryFolder } from '../support/state.js';
import { episodeFile } from './support/episode-file.js';
import { longrun } from './support/longrun.js';

async function scored(): Promise<string> {
  const rows = Array.from({ length: 12 }, (_, i) =>
    episodeOf([{ thinks: 'hm', calls: [{ name: `tool\u001b[2J`, ok: i % 4 !== 0 }] }], {
      sessionId: `s${i}`,
      groupId: `g${i % 3}`,
      rewards: [signal('environment', i % 3 === 0 ? i % 2 : 1), signal('user', (i % 5) / 10)],
    }),
  );
  return episodeFile(join(await temporaryFolder(), 'scored.jsonl'), rows);
}

describe('longrun traj stats', () => {
  it('shows rows, tools and rewards with a histogram, and what the shape of the rewards is known for', async () => {
    const { code, stdout } = await longrun(['traj', 'stats', await scored()]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/rows +12 · 12 completed/);
    expect(stdout).toMatch(/tool␛\[2J +12 +9 +3 +0/);
    expect(stdout).toMatch(/reward +binary · mean 0\.83/);
    expect(stdout).toMatch(/ 1 +━{30} +10 +83\.3 %/);
    expect(stdout).toMatch(/groups +3 with a baseline · 2 without variance \(66\.7 %\)/);
    expect(stdout).toMatch(/! sparse: in 2 of 3 groups/);
    expect(stdout).not.toContain('\u001b');
  });

  it('gives the same as one document, by another order of trust', async () => {
    const file = await scored();
    await appendFile(file, '{"broken\n');
    const { code, stderr, json } = await longrun(['traj', 'stats', file, '--json', '--reward-order', 'user']);
    expect(code).toBe(0);
    expect(stderr).toContain(':13: the line is not JSON');
    expect(json()).toMatchObject({
      rows: 12,
      rejected: 1,
      stop_reasons: { natural: 12 },
      tool_success: 0.75,
      rewards: { order: ['user'], shape: 'continuous', effective: { max: 0.4 } },
    });
  });

  it('refuses a threshold that is no number and an input that is not there', async () => {
    expect((await longrun(['traj', 'stats', await scored(), '--pass-threshold', 'high'])).code).toBe(2);
    expect((await longrun(['traj', 'stats', '/no/such/file.jsonl'])).code).toBe(2);
    expect((await longrun(['traj', 'stats'])).stderr).toContain('no input was named');
  });
});
