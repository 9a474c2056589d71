import { stripVTControlCharacters, styleText } from 'node:util';
import { describe, expect, it } from 'vitest';
import { summariseRun } from '../../src/records/summarise.js';
import type { RunDocument } from '../../src/records/summary.js';
import { displayWidth } from '../../src/report/display-width.js';
import { renderScoreboard } from '../../src/report/scoreboard.js';
import { plainStyle, type Style } from '../../src/report/style.js';
import type { RolloutResult } from '../../src/store/records/records.schema.js';
import { lostResult, plan, result, runRecord } from '../store/fixtures.js';

const colours: Style = (name, text) => styleText(name, text, { validateStream: false });

function document(rollouts: RolloutResult[], config: Parameters<typeof runRecord>[1] = {}): RunDocument {
  const run = runRecord({}, config);
  const counts: Record<string, number> = {};
  for (const { taskId } of rollouts) counts[taskId] = (counts[taskId] ?? 0) + 1;
  const categories = new Map(rollouts.map((found) => [found.taskId, found.category]));
  const summary = summariseRun(run, plan(counts), rollouts, categories);
  return {
    run: { ...run, status: 'finished', pauseReason: null, location: '/state/store/runs/r' },
    summary,
    rollouts,
  };
}

const board = (found: RunDocument, style = plainStyle): string =>
  renderScoreboard(found, { style, columns: 80 }).join('\n');

const mixed = [
  result({ taskId: 'solved', category: 'files' }),
  result({ taskId: 'solved', sample: 1, category: 'files' }),
  result({ taskId: 'partly', reward: 0.5, category: 'shell' }),
  result({ taskId: 'partly', sample: 1, reward: 0, category: 'shell' }),
  lostResult({ taskId: 'lost', category: 'shell' }),
  lostResult({ taskId: 'lost', sample: 1, category: 'shell', failure: null }),
];

describe('the scoreboard', () => {
  it('shows scores, categories, tasks, failures, tokens, cost, place and what to do next', () => {
    const text = board(document(mixed));
    for (const part of [
      /tblite · some\/model · agent tool-calling/,
      /pass@1 +50\.0 % +\S+ – \S+ %/,
      /pass@2/,
      /1 task has fewer than 2 scored samples/,
      /mean reward {2}0\.63 over 4 scored/,
      /0\.42 with infrastructure failures as misses/,
      /files +1 +2 +100\.0 % +1\.00/,
      /solved +✔✔ +2 of 2 +1\.00/,
      /partly +◐✘ +0 of 2 +0\.25/,
      /lost +⚠⚠ +0 of 0 +—/,
      /2 rollouts were lost to infrastructure/,
      /sandbox_lost +the container is gone/,
      /tokens +660 \(600 prompt, 240 of them cached, 60 completion\)/,
      /cost +\$0\.06/,
      /results +\/state\/store\/runs\/r/,
      /longrun rollouts show r\/partly\/1/,
      /longrun runs show r/,
    ]) {
      expect(text).toMatch(part);
    }
  });

  it('labels a scripted model as one', () => {
    expect(board(document(mixed, { model: 'scripted/apprentice' }))).toMatch(
      /scripted model: .*no real model/,
    );
    expect(board(document(mixed))).not.toMatch(/scripted model/);
  });

  it('is the same with colours and without', () => {
    const plain = board(document(mixed));
    const coloured = board(document(mixed), colours);
    expect(coloured).not.toBe(plain);
    expect(stripVTControlCharacters(coloured).replaceAll(/ +$/gm, '')).toBe(plain.replaceAll(/ +$/gm, ''));
  });

  it('fits into 80 columns, with long names, long messages and many samples', () => {
    const name = 'a-task-with-a-name-as-long-as-names-can-get-and-then-some-more-of-it';
    const failure = { code: 'x', message: 'very long '.repeat(50), retryable: false, hint: null };
    const rollouts = Array.from({ length: 60 }, (_, sample) =>
      sample % 7 === 0
        ? lostResult({ taskId: name, sample, failure })
        : result({ taskId: name, sample, reward: sample % 2 }),
    );
    const tampered = result({ taskId: 'touched', suspectedTampering: ['/bin/sh'] });
    for (const line of board(document([...rollouts, tampered])).split('\n')) {
      // The commands are for copying: they are never cut.
      if (!line.includes('longrun ')) expect(displayWidth(line)).toBeLessThanOrEqual(80);
    }
  });

  it('shows the least solved tasks of a large benchmark', () => {
    const rollouts = Array.from({ length: 200 }, (_, i) =>
      result({ taskId: `task-${i}`, reward: i === 150 ? 0 : 1 }),
    );
    const text = board(document(rollouts));
    expect(text).toMatch(/task-150 +✘/);
    expect(text).toMatch(/30 least solved of 200/);
    expect(text.split('\n').length).toBeLessThan(60);
  });

  it('says cost and scores are unknown where they are', () => {
    const unscored = board(document([lostResult({ costUsd: null })]));
    expect(unscored).toMatch(/pass@1 +— +—/);
    expect(unscored).toMatch(/cost +—/);
  });

  it('never lets text of tasks and failures reach the terminal as it is', () => {
    const message = 'boom \u001b[2J\u001b]0;title\u0007\r\nnext';
    const hostile = lostResult({
      category: '\u001b[31mred',
      failure: { code: 'x', message, retryable: true, hint: null },
    });
    const text = board(document([hostile, result({ taskId: 'other', category: 'b' })]));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is left is the point
    expect(text.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(text).toContain('␛[2J');
  });
});
