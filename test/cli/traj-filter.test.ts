import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Episode } from '../../src/core/trajectory/episode.schema.js';
import { episodeLine } from '../../src/trajectories/longrun-format.js';
import {
  assistant,
  episode,
  result,
  reward,
  timeStep,
  tool,
  user,
} from '../trajectories/support/episodes.js';
import { folder } from '../trajectories/support/folder.js';
import { longrun } from './support/longrun.js';

/** Three turns, the first with a call. */
function row(id: string, value: number | null, facts: Partial<Episode> = {}): Episode {
  const call = { id: 'c1', name: 'terminal', arguments: '{"command":"ls"}' };
  const steps = [
    timeStep([user(`Task ${id}`), assistant('', [call]), result('c1', 'terminal', 'a')], [tool('terminal')]),
    timeStep([assistant('Nearly.')]),
    timeStep([assistant('Done.')]),
  ];
  return episode(id, steps, { rewards: value === null ? [] : [reward(value)], ...facts });
}

function scored(): string {
  const path = join(folder(), 'scored');
  const died = row('died', null).outcome;
  const cut = {
    ...died,
    completed: false,
    stopReason: 'sandbox_lost' as const,
    failureClass: 'infrastructure' as const,
  };
  const short = row('short', 1);
  const made = row('made', 1);
  made.trajectory.timesteps[0] = timeStep(
    [
      user('Task made'),
      assistant('', [{ id: 'c1', name: 'browse', arguments: '{}' }]),
      result('c1', 'browse', ''),
    ],
    [tool('terminal')],
  );
  const rows = [
    row('good', 0.9),
    row('poor', 0.2),
    row('died', null, { outcome: cut }),
    {
      ...short,
      trajectory: { ...short.trajectory, timesteps: short.trajectory.timesteps.slice(2) },
      turns: short.turns.slice(2),
    },
    made,
  ];
  mkdirSync(path);
  writeFileSync(join(path, 'scored.jsonl'), `${rows.map(episodeLine).join('\n')}\n{"torn\n`);
  return path;
}

const read = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('traj filter', () => {
  it('runs as the guide says it, and keeps what goes apart with its reasons', async () => {
    const input = scored();
    const output = join(input, '..', 'filtered/');
    const { code, stdout, stderr } = await longrun([
      'traj',
      'filter',
      '--input',
      input,
      '--min-reward',
      '0.7',
      '--min-turns',
      '3',
      '--output',
      output,
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^reward +1 +2 +2$/m);
    expect(stdout).toContain('Read 5, kept 1; 1 failed, 3 rejected, 1 could not be read.');
    expect(stderr).toContain('scored.jsonl:6:');
    expect(read(join(output, 'trajectories.jsonl')).map(({ session_id }) => session_id)).toEqual(['good']);
    const [failed] = read(join(output, 'failed_trajectories.jsonl'));
    expect(failed).toMatchObject({ session_id: 'died', outcome: { stop_reason: 'sandbox_lost' } });
    expect(failed.metadata.filtered_out).toEqual({ filter: 'complete', reason: 'stop reason sandbox_lost' });
    const rejected = read(join(output, 'trajectories.rejected.jsonl'));
    expect(rejected.map(({ session_id, filter, reason }) => [session_id, filter, reason])).toEqual([
      ['poor', 'reward', 'reward 0.2, at least 0.7 is asked for'],
      ['short', 'turns', 'turns 1, at least 3 is asked for'],
      ['made', 'calls', 'turn 1: there is no tool "browse": terminal were offered'],
      [undefined, undefined, expect.stringContaining('JSON')],
    ]);
    expect(rejected[0].row).toMatchObject({ session_id: 'poor', schema_version: 1 });
  });

  it('answers the counts as JSON, and draws the same sample twice', async () => {
    const input = scored();
    const sample = async (name: string) => {
      const output = join(input, '..', name);
      const { json } = await longrun([
        'traj',
        'filter',
        input,
        '--sample',
        '2',
        '--seed',
        '3',
        '--output',
        output,
        '--json',
      ]);
      return { report: json(), rows: readFileSync(output, 'utf8') };
    };
    const [one, two] = [await sample('a/rows.jsonl'), await sample('b/rows.jsonl')];
    expect(one.rows).toBe(two.rows);
    expect(one.report).toMatchObject({
      read: 5,
      kept: 2,
      failed: 1,
      rejected: 2,
      broken_lines: 1,
      rows_without_tools: 0,
    });
    expect(one.report.filters.at(-1)).toEqual({ name: 'sample', took: 1, alone: null });
  });

  it('keeps rows that were cut short where recovery is the goal', async () => {
    const input = scored();
    const output = join(input, '..', 'recovery.jsonl');
    await longrun([
      'traj',
      'filter',
      input,
      '--goal',
      'failure-recovery',
      '--stop-reason',
      'sandbox_lost',
      '--output',
      output,
    ]);
    expect(read(output).map(({ session_id }) => session_id)).toEqual(['died']);
  });

  it('does not write over what is there, unless told to', async () => {
    const input = scored();
    const output = join(input, '..', 'out.jsonl');
    writeFileSync(join(input, '..', 'failed_trajectories.jsonl'), 'precious\n');
    const argv = ['traj', 'filter', input, '--output', output];
    const { code, stderr } = await longrun(argv);
    expect(code).toBe(2);
    expect(stderr).toContain('failed_trajectories.jsonl exists already');
    expect(existsSync(output)).toBe(false);
    expect((await longrun([...argv, '--force'])).code).toBe(0);
  });

  it.each([
    [['--min-reward', 'high'], '--min-reward: found "high", accepted: a number.'],
    [['--min-turns', '0'], '--min-turns: found "0", accepted: a whole number of at least 1.'],
    [['--min-turns', '5', '--max-turns', '3'], '--min-turns 5 is more than --max-turns 3'],
    [['--goal', 'fun'], '--goal: found "fun", accepted: training, failure-recovery.'],
    [['--stop-reason', 'tired'], '--stop-reason: found "tired", accepted: natural'],
    [['--stop-reason', 'max_turns'], 'no row could pass'],
    [['--seed', '3'], '--seed is given without --sample'],
    [['--reward-order', 'luck'], '--reward-order: found "luck"'],
  ])('refuses %s', async (flags, message) => {
    const input = scored();
    const { code, stderr } = await longrun([
      'traj',
      'filter',
      input,
      ...flags,
      '--output',
      join(input, '..', 'out.jsonl'),
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
