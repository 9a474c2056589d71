import { describe, expect, it } from 'vitest';
import {
  IMPLICIT_NAMES,
  IMPLICIT_WEIGHTS,
  implicitCounts,
  implicitSignal,
} from '../../../src/core/reward/implicit-signal.js';
import { episodeOf } from './episode-of.js';

const write = (path: string, ok = true) => ({ name: 'write_file', args: { path, content: 'x' }, ok });
const run = (command: string, ok = true) => ({ name: 'terminal', args: { command }, ok });

describe('the implicit signal of an episode', () => {
  it('counts what a session shows: its length, errors, repeats, files, skills and memories', () => {
    const episode = episodeOf([
      { calls: [run('pytest', false), run('pytest', false)] },
      { calls: [write('/app/a.py'), write('/app/a.py'), write('/app/b.py'), write('/app/c.py', false)] },
      { calls: [{ name: 'patch', args: { path: '/app/d.py' }, ok: true }] },
      {
        calls: [
          write('/skills/csv/SKILL.md'),
          { name: 'skill_manage', args: { action: 'create' }, ok: true },
        ],
      },
      {
        calls: [
          { name: 'memory', args: { action: 'add' } },
          { name: 'memory', args: { action: 'read' } },
        ],
      },
      { calls: [{ name: 'save_memory', args: 'not json' }], says: 'Done.' },
    ]);
    expect(implicitCounts(episode)).toEqual({
      turns: 6,
      toolCalls: 12,
      errors: 3,
      retries: 2,
      filesWritten: 4,
      skillsCreated: 2,
      memoryWrites: 2,
    });
  });

  it('is 0.5 plus the weighted levels, with its counts beside it', () => {
    const found = implicitSignal(episodeOf([{ calls: [run('make', false), write('/a')] }]), 77);
    // One turn of 50, one error in two calls, one file of three.
    expect(found?.value).toBeCloseTo(0.5 - 0.2 / 50 - 0.2 / 2 + 0.25 / 3, 12);
    expect(found).toMatchObject({ source: 'implicit', quality: 'low', at: 77, components: { errors: 1 } });
  });

  it('stays between 0 and 1 at both ends', () => {
    const best = Object.values(IMPLICIT_WEIGHTS).filter((weight) => weight > 0);
    const worst = Object.values(IMPLICIT_WEIGHTS).filter((weight) => weight < 0);
    expect(best.reduce((a, b) => a + b)).toBeCloseTo(0.5, 12);
    expect(worst.reduce((a, b) => a + b)).toBeCloseTo(-0.5, 12);
    expect(Object.keys(IMPLICIT_WEIGHTS)).toEqual([...IMPLICIT_NAMES]);
    const stuck = episodeOf(Array.from({ length: 80 }, () => ({ calls: [run('ls', false)] })));
    expect(implicitSignal(stuck, null)?.value).toBeCloseTo(0.1 * (1 / 80), 12);
  });

  it('does not exist for a rollout that never answered', () => {
    expect(implicitSignal(episodeOf([]), null)).toBeNull();
  });
});
