import { describe, expect, test } from 'vitest';
import { execArguments, parseExecStream, parseHello, parseReport } from '../../src/sandbox/exec-report.js';
import type { ExecRequest } from '../../src/sandbox/sandbox.js';

const request = (overrides: Partial<ExecRequest>): ExecRequest => ({
  script: 'true',
  cwd: null,
  env: {},
  user: null,
  timeoutMs: 1000,
  outputLimitBytes: 10,
  stdin: null,
  ...overrides,
});
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe('what a command says on its stream', () => {
  test('is its beginning, its end and its output', () => {
    const said = parseExecStream(Buffer.from('longrun 17\nlongrun-end 3 5 5 10.10 10.35\nhello'), 10);
    expect(said?.end).toEqual({ status: 3, totalBytes: 5, durationMs: 250, spoolRemoved: false });
    expect(text(said?.output.head as Uint8Array)).toBe('hello');
    expect(said?.output.omittedBytes).toBe(0);
  });

  test('is split into head and tail where some was left out', () => {
    const said = parseExecStream(Buffer.from('longrun 17\nlongrun-end 0 1000 5 1 2\nabcde'), 5);
    expect(text(said?.output.head as Uint8Array)).toBe('abc');
    expect(text(said?.output.tail as Uint8Array)).toBe('de');
    expect(said?.output.omittedBytes).toBe(995);
  });

  test('is nothing to go by when it was cut short', () => {
    for (const cut of [
      '',
      'longrun',
      'longrun 17\n',
      'longrun 17\nlongrun-end 0 10',
      'OCI runtime\nlongrun-end 0 0 0',
    ]) {
      expect(parseExecStream(Buffer.from(cut), 5)).toBeNull();
    }
  });

  test('may hold nonsense written from inside, which does no harm', () => {
    const said = parseExecStream(Buffer.from('longrun 17\nlongrun-end 0 -5 x NaN -1\nabc'), 5);
    expect(said?.end).toEqual({ status: 0, totalBytes: 0, durationMs: 0, spoolRemoved: false });
    const ages = parseExecStream(Buffer.from('longrun 17\nlongrun-end 0 1e300 3 0 1e300\nabc'), 5);
    expect(ages?.end).toEqual({ status: 0, totalBytes: 0, durationMs: 2 ** 31 - 1, spoolRemoved: false });
    expect(parseExecStream(Buffer.from('longrun 17\nlongrun-end x y\nabc'), 5)).toBeNull();
  });

  test('begins with its process id', () => {
    expect(parseHello(Buffer.from('longrun 4711\nrest'))).toBe(4711);
    expect(parseHello(Buffer.from('longrun 47'))).toBeNull();
  });
});

describe('the report on a command', () => {
  test('tells a running one', () => {
    const report = parseReport(Buffer.from('longrun-read\nP 5 100.00 101.50\nO 3\nabc'), 10);
    expect(report).toMatchObject({ elapsedMs: 1500, end: null, killReason: null, notRun: false });
    expect(text(report?.output.head as Uint8Array)).toBe('abc');
  });

  test('tells a killed one and why', () => {
    expect(parseReport(Buffer.from('longrun-read\nP 5 1 2\nK timeout\nO 0\n'), 10)?.killReason).toBe(
      'timeout',
    );
    expect(parseReport(Buffer.from('longrun-read\nP 5 1 2\nK request\nO 0\n'), 10)?.killReason).toBe(
      'request',
    );
  });

  test('tells an ended one', () => {
    const report = parseReport(Buffer.from('longrun-read\nP 5 1 9\nE 4 2 2 1 3\nO 2\nok'), 10);
    expect(report?.end).toEqual({ status: 4, totalBytes: 2, durationMs: 2000, spoolRemoved: false });
  });

  test('tells one whose input did not arrive', () => {
    expect(parseReport(Buffer.from('longrun-read\nE short\nO 0\n'), 10)?.notRun).toBe(true);
  });

  test('is none when the script did not get to speak', () => {
    expect(parseReport(Buffer.from('sh: Cannot fork'), 10)).toBeNull();
  });
});

describe('the arguments of a command', () => {
  test('carry the script and the counts', () => {
    const made = execArguments(
      { folder: '/.longrun', token: 't1' },
      request({ script: 'echo hi', outputLimitBytes: 11 }),
      '/job',
    );
    expect(made).toEqual({ args: ['/.longrun', 't1', '6', '5', '/job', '0', '0', 'echo hi'], stdin: null });
  });

  test('send a script that is too long for an argument ahead of the input', () => {
    const script = `# ${'ü'.repeat(100_000)}`;
    const made = execArguments(
      { folder: '/.longrun', token: 't1' },
      request({ script, stdin: Buffer.from('input') }),
      '/',
    );
    expect(made.args.slice(5)).toEqual(['200002', '5', '']);
    expect(text(made.stdin as Uint8Array)).toBe(`${script}input`);
  });
});
