import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PlainView } from '../../src/cli/live/plain-view.js';
import { createLogger } from '../../src/cli/logger.js';
import { summariseRun } from '../../src/records/summarise.js';
import { replayedLines } from '../../src/report/replayed-lines.js';
import { renderScoreboard } from '../../src/report/scoreboard.js';
import { plainStyle } from '../../src/report/style.js';
import type { RunView } from '../../src/runs/status/run-view.js';
import { openStore } from '../../src/store/index.js';
import { recordRun, task, turns, verdict } from '../report/recorded-run.js';
import { plan, result, runRecord } from '../store/fixtures.js';
import { temporaryFolder, temporaryStateDir } from '../support/state.js';
import { threat } from '../support/threat.js';
import { longrun } from './support/longrun.js';
import { writeTask } from './support/tasks.js';

/** A title, the clipboard, a cleared screen in one byte, reordered and hidden text, two kinds of lines, half a pair. */
const HOSTILE =
  '\u001b]0;owned\u0007 \u001b]52;c;ZXZpbA==\u0007 \u009b2J \u202eevil\u2066 \u{e0041} \u2028\u2029\u007f \ud800 é 日本 🎉';
/** All that a terminal or a reader may be misled by; a line feed ends our own lines. */
const ACTIVE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

async function hostileRun(): Promise<string> {
  const stateDir = await temporaryStateDir();
  const answer = turns(JSON.stringify({ command: HOSTILE }), { name: HOSTILE, content: HOSTILE });
  const found = result({
    taskId: 'words',
    failure: { code: 'x', retryable: false, message: HOSTILE, hint: HOSTILE },
  });
  await recordRun(
    await openStore(stateDir, {}),
    [task('words')],
    [{ result: found, turns: [answer], verdicts: [verdict({ testOutput: HOSTILE })] }],
  );
  return stateDir;
}

describe(threat('text from tasks, models and endpoints', 'the terminal of whoever reads it'), () => {
  it('a rollout as JSON is the same document, with every such character escaped', async () => {
    const env = { LONGRUN_HOME: await hostileRun() };
    const { code, stdout, json } = await longrun(['rollouts', 'show', 'r/words/0', '--json'], env);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(ACTIVE);
    expect(stdout).toContain('\\u009b2J \\u202eevil\\u2066 \\udb40\\udc41');
    expect(stdout).toContain('é 日本 🎉');
    expect(json().result.failure.message).toBe(HOSTILE);
  });

  it.each(['rollouts show r/words/0', 'runs show r', 'runs list', 'queue list --run r'])(
    '`longrun %s` shows signs in their place',
    async (words) => {
      const env = { LONGRUN_HOME: await hostileRun() };
      for (const form of [[], ['--json']]) {
        const { stdout, stderr } = await longrun([...words.split(' '), ...form], env);
        expect(stdout).not.toBe('');
        expect(stdout).not.toMatch(ACTIVE);
        expect(stderr).not.toMatch(ACTIVE);
      }
    },
  );

  it('an error that quotes it does so in signs, for people and as JSON', async () => {
    const { code, stdout, stderr, json } = await longrun(['tasks', 'list', `./${HOSTILE}`, '--json']);
    expect(code).toBe(2);
    expect(json().error.message).toContain('owned');
    expect(stdout).not.toMatch(ACTIVE);
    expect(stderr).not.toMatch(ACTIVE);
  });

  it('a task folder may have it in its name, and in the name of a file', async () => {
    const folder = await temporaryFolder();
    const name = HOSTILE.replaceAll(/[/\ud800]/g, '_');
    writeTask(folder, 'good');
    writeTask(folder, name, { 'task.toml': `version = "${name.replaceAll(/\p{Cc}/gu, '')}"\nnope = 1\n` });
    mkdirSync(join(folder, 'good', 'environment', name));
    for (const words of [
      ['tasks', 'list'],
      ['tasks', 'validate'],
      ['tasks', 'list', '--json'],
    ]) {
      const { code, stdout, stderr } = await longrun([...words, folder]);
      expect(code).not.toBe(0);
      expect(`${stdout}${stderr}`).toContain('owned');
      expect(stdout).not.toMatch(ACTIVE);
      expect(stderr).not.toMatch(ACTIVE);
    }
  });

  it.each([true, false])('the log holds none, at the level of debugging (for people: %s)', (pretty) => {
    let text = '';
    const write = (line: string): void => {
      text += line;
    };
    const log = createLogger({ level: 'debug', pretty, colour: false, secrets: [], write });
    const err = new Error(HOSTILE);
    log.debug({ [HOSTILE]: HOSTILE, deep: { [HOSTILE]: [HOSTILE] }, err }, `${HOSTILE}\nINFO: all is well`);
    expect(text).toContain('owned');
    expect(text).not.toMatch(ACTIVE);
    expect(text).not.toMatch(/^INFO: all is well/m);
  });

  it('the lines of a run hold none, whatever a sink or a store had to say', () => {
    let text = '';
    const write = (line: string): void => {
      text += line;
    };
    const view = new PlainView(write, 1, () => 0);
    view.note(`The store does not answer (${HOSTILE})`);
    const paused = { status: 'paused', tasks: [], counts: {}, total: 1, done: 0, pauseNote: HOSTILE };
    view.update({ runId: 'r', ...paused } as unknown as RunView, []);
    expect(text).toContain('does not answer');
    expect(text).toContain('Run r is paused');
    expect(text).not.toMatch(ACTIVE);
  });

  it('the report of a run that a sink has paused holds none, nor that of a replay', () => {
    const run = { ...runRecord(), status: 'paused', pauseReason: 'sink_failed', pauseDetail: HOSTILE };
    const summary = summariseRun(runRecord(), plan({}), [], new Map());
    const document = { run: { ...run, location: HOSTILE }, summary, rollouts: [] };
    const board = renderScoreboard(document as never, { style: plainStyle, columns: 80 });
    const firstDifference = { turn: 1, tool: HOSTILE, recorded: HOSTILE, found: 'x' };
    const replay = { by: 'commands', commands: 1, differences: 1, firstDifference };
    const text = [...board, ...replayedLines(replay as never)].join('\n');
    expect(text).toContain('a sink cannot go on');
    expect(text).not.toMatch(ACTIVE);
  });
});
