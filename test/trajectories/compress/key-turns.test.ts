import { describe, expect, it } from 'vitest';
import type { TimeStep } from '../../../src/core/trajectory/trajectory.schema.js';
import { isTestRun, isWrite } from '../../../src/trajectories/compress/call-kinds.js';
import { keyTurns } from '../../../src/trajectories/compress/key-turns.js';
import { type Call, turnsOf } from '../../../src/trajectories/compress/turns.js';
import { assistant, episode, result, timeStep, user } from '../support/episodes.js';

const shell = (command: string): Call => ({
  name: 'terminal',
  arguments: { command },
  result: '',
  failed: false,
});
const call = (name: string, args: Record<string, unknown>): Call => ({ ...shell(''), name, arguments: args });

describe('what is a write', () => {
  it.each([
    'echo hello > out.txt',
    'cat >> notes.md <<EOF\nx\nEOF',
    'sed -i s/a/b/ main.py',
    'cd /app && mv a b',
    'make 2>&1 | tee build.log',
    'git apply fix.diff',
    'pip install -q requests',
    `python3 -c "open('a.txt', 'w').write('x')"`,
  ])('%s', (command) => expect(isWrite(shell(command))).toBe(true));

  it.each([
    'ls -la 2>/dev/null',
    'python main.py 2>&1',
    'cat a.txt | grep -v x',
    `awk '$1 > 2' data.csv`,
    'git log --oneline',
    'sed -n 1,20p main.py',
  ])('not %s', (command) => expect(isWrite(shell(command))).toBe(false));

  it('goes by name and arguments for tools that are no shell', () => {
    expect(isWrite(call('write_file', { path: 'a' }))).toBe(true);
    expect(isWrite(call('patch', { path: 'a' }))).toBe(true);
    expect(isWrite(call('str_replace_based_edit_tool', { command: 'create' }))).toBe(true);
    expect(isWrite(call('str_replace_based_edit_tool', { command: 'view' }))).toBe(false);
    expect(isWrite(call('read_file', { path: 'a' }))).toBe(false);
    expect(isWrite(call('write_todos', {}))).toBe(false);
  });
});

describe('what is a test run', () => {
  it.each([
    'pytest -q',
    'cd /app && python -m pytest',
    'npm test',
    'go test ./...',
    'bash tests/run.sh',
    './run_tests.sh',
  ])('%s', (command) => expect(isTestRun(shell(command))).toBe(true));
  it.each(['ls tests', 'cat test.txt', 'python main.py'])('not %s', (command) =>
    expect(isTestRun(shell(command))).toBe(false),
  );
});

describe('turns that are kept word for word', () => {
  it('are writes that worked, the last test run and the last turn', () => {
    expect(
      keysOf([
        ['ls', 'a'],
        ['echo x > a', ''],
        ['pytest', '2 passed'],
        ['cat a', 'x'],
        ['pytest', '3 passed'],
        null,
      ]),
    ).toEqual([1, 4, 5]);
  });

  it('are an error and what fixed it; of several in a row about the same thing the last one', () => {
    expect(
      keysOf([
        ['python main.py', 'Error: one'],
        ['python main.py', 'Error: two'],
        ['ls', ''],
        ['cd /app && python main.py', 'fine'],
        ['python other.py', 'Error: never fixed'],
        null,
      ]),
    ).toEqual([1, 3, 5]);
  });

  it('are those with a reward of their own', () => {
    const steps = stepsOf([['ls', ''], ['ls', ''], null]);
    const rewarded = steps.map((step, i) => (i === 0 ? { ...step, reward: 0.5 } : step));
    expect([...keyTurns(turnsOf(episode('e', rewarded)))]).toEqual([0, 2]);
  });
});

function keysOf(turns: ([command: string, result: string] | null)[]): number[] {
  return [...keyTurns(turnsOf(episode('e', stepsOf(turns))))].sort((a, b) => a - b);
}

function stepsOf(turns: ([command: string, result: string] | null)[]): TimeStep[] {
  return turns.map((turn, i) => {
    const id = `call_${i}`;
    const prompt = i === 0 ? [user('Make it work')] : [];
    if (turn === null) return timeStep([...prompt, assistant('Done.')]);
    const made = assistant('', [{ id, name: 'terminal', arguments: JSON.stringify({ command: turn[0] }) }]);
    return timeStep([...prompt, made, result(id, 'terminal', turn[1])]);
  });
}
