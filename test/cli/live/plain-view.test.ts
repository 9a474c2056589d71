import { describe, expect, it } from 'vitest';
import { PlainView } from '../../../src/cli/live/plain-view.js';
import { countDone, countMarks, type Mark, type RunView } from '../../../src/runs/status/run-view.js';
import { LOST, rolloutResult } from '../../launch/support/records.js';

function viewOf(marks: Mark[]): RunView {
  const tasks = [{ taskId: 'a', marks }];
  const counts = countMarks(tasks);
  return {
    runId: 'r',
    title: 't',
    status: 'running',
    elapsedMs: 65_000,
    tasks,
    counts,
    total: marks.length,
    done: countDone(counts),
    turns: 6,
    turnsPerSecond: 1.5,
    tokens: 1_500,
    costUsd: null,
    msLeft: null,
    trouble: null,
  };
}

function start() {
  const lines: string[] = [];
  const clock = { now: 0 };
  const view = new PlainView(
    (text) => lines.push(text),
    1,
    () => clock.now,
  );
  return { lines, clock, view };
}

describe('the plain view, for pipes and logs', () => {
  it('writes a line per finished rollout', () => {
    const { lines, view } = start();
    view.update(viewOf(['passed', 'infrastructure', 'waiting']), [
      rolloutResult('r', 'a', 0),
      rolloutResult('r', 'a', 1, LOST),
    ]);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toBe('[1/3] passed  a/0  reward 1, 3 turns, 2.0 s, $0.50\n');
    expect(lines[1]).toContain('[2/3] infrastructure a/1  sandbox_lost, 3 turns');
  });

  it('escapes what comes from outside', () => {
    const { lines, view } = start();
    view.update(viewOf(['infrastructure']), [rolloutResult('r', 'a', 0, LOST)]);
    expect(lines.join('')).not.toContain('\u001b');
  });

  it('says what an earlier process has finished, without repeating it', () => {
    const { lines, view } = start();
    view.update(viewOf(['passed', 'passed', 'waiting']), []);
    expect(lines).toEqual(['1:05  2/3 done · 1 waiting, 2 passed · 1.5 turns/s · 1.50 k tokens\n']);
  });

  it('is bounded for thousands of rollouts: progress now and then, failures until they repeat', () => {
    const { lines, clock, view } = start();
    const marks: Mark[] = Array(2_000).fill('waiting');
    for (let i = 0; i < 2_000; i++) {
      clock.now += 100;
      marks[i] = i % 4 === 0 ? 'infrastructure' : 'passed';
      view.update(viewOf(marks), [rolloutResult('r', 'a', i, i % 4 === 0 ? LOST : {})]);
    }
    view.close();
    expect(lines.length).toBeLessThan(60);
    expect(lines.filter((line) => line.includes('sandbox_lost'))).toHaveLength(20);
    expect(lines.at(-1)).toContain('2000/2000 done');
  });
});
