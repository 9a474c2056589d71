import { describe, expect, it } from 'vitest';
import { printError } from '../../src/cli/print-error.js';
import { LongrunError } from '../../src/core/errors.js';
import { longrun } from './support/longrun.js';

describe('a typo', () => {
  it.each([
    [['evalute'], "unknown command 'evalute'", 'Did you mean evaluate?'],
    [['runs', 'lst'], "unknown command 'lst'", 'Did you mean list?'],
    [['evaluate', '--sampels', '3'], "unknown option '--sampels'", 'Did you mean --samples?'],
    [
      ['evaluate', 'tblit', '--agent', 'nop'],
      'tblit is neither an environment nor a folder',
      'Did you mean tblite?',
    ],
    [['evaluate', 'tblite', '--agent', 'oracel'], 'found "oracel"', 'did you mean "oracle"?'],
    [
      ['evaluate', 'tblite', '--agent', 'nop', '--task', 'csv-statistic'],
      'no task matches',
      'Did you mean csv-statistics?',
    ],
    [['completion', 'bahs'], 'There is no completion for "bahs"', 'Did you mean bash?'],
  ])('in %j is answered with what was meant, and exit code 2', async (argv, message, hint) => {
    const { code, stdout, stderr } = await longrun(argv);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });
});

describe('an error', () => {
  it('is one document on standard output with --json, and lines on standard error', async () => {
    const { code, stderr, json } = await longrun(['evaluate', 'tblite', '--samples', '0', '--json']);
    expect(code).toBe(2);
    expect(json()).toEqual({
      error: {
        code: 'bad_input',
        message: '--samples: found "0", accepted: a whole number from 1 to 1000.',
        hint: expect.any(String),
        details: { problems: [expect.any(String)] },
      },
    });
    expect(stderr).toMatch(/^error: --samples/);
  });

  it('says which argument is missing', async () => {
    const { code, stderr } = await longrun(['runs', 'show']);
    expect(code).toBe(2);
    expect(stderr).toContain("missing required argument 'run'");
  });

  it('shows the help of a group that was called without a subcommand', async () => {
    const { code, stderr } = await longrun(['tasks']);
    expect(code).toBe(2);
    expect(stderr).toContain('Usage: longrun tasks');
  });

  const catchOutput = () => {
    const out = { stdout: '', stderr: '' };
    const sink = (name: 'stdout' | 'stderr') => ({
      write: (text: string | Uint8Array) => {
        out[name] += text;
        return true;
      },
    });
    const io = {
      stdout: sink('stdout'),
      stderr: sink('stderr'),
      stdin: {},
      env: {},
      now: Date.now,
      exitCode: 0,
    };
    return { out, io };
  };

  it('never sends control characters from outside to the terminal', () => {
    const { out, io } = catchOutput();
    const hostile = new LongrunError('task_invalid', 'task \u001b]0;owned\u0007 is \u001b[2Jbroken', {
      hint: '\u009bx',
    });
    expect(printError(hostile, io, false)).toBe(2);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is what is tested
    expect(out.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(out.stderr).toContain('broken');
  });

  it('that nobody foresaw says so, with where it happened', () => {
    const { out, io } = catchOutput();
    expect(printError(new TypeError('x is not a function'), io, true)).toBe(1);
    expect(JSON.parse(out.stdout).error.code).toBe('internal');
    expect(out.stderr).toContain('fault in longrun');
    expect(out.stderr).toContain('TypeError: x is not a function');
  });
});
