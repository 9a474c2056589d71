import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Tool, ToolContext } from '../../src/agent/tool.js';
import { TOOL_NAMES, toolsByName } from '../../src/agent/tools/registry.js';
import { posixQuote } from '../../src/core/text/posix-quote.js';
import type { ExecResult } from '../../src/sandbox/sandbox.js';

const context = (prior: { arguments: string; content: string }[] = [], remainingMs = 1e9): ToolContext => ({
  inspect: () => Promise.reject(new Error('nothing to inspect')),
  user: null,
  remainingMs,
  priorCalls: () => prior,
});
const tool = (name: string) => toolsByName([name])[0] as Tool;

describe('tools', () => {
  it('are told to the model as JSON Schema', () => {
    for (const { schema } of toolsByName(TOOL_NAMES)) {
      expect(schema.description.length).toBeGreaterThan(20);
      expect(schema.parameters).toMatchObject({ type: 'object' });
      expect(schema.parameters).not.toHaveProperty('$schema');
    }
    expect(tool('terminal').schema.parameters).toMatchObject({
      properties: { command: { type: 'string' }, timeout_sec: { type: 'number' } },
      required: ['command'],
    });
  });

  it('that do not exist are refused by name', () => {
    expect(() => toolsByName(['terminal', 'browser'])).toThrow('There is no tool "browser"');
  });
});

describe('a quoted word', () => {
  it('reaches a real shell as it was', () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        const script = `printf '%s\\0' end ${words.map(posixQuote).join(' ')}`;
        const seen = execFileSync('/bin/sh', ['-c', script]).toString().split('\0');
        expect(seen.slice(1, -1)).toEqual(words);
      }),
      { seed: 11, numRuns: 40 },
    );
  });
});

describe('the terminal', () => {
  const result = (overrides: Partial<ExecResult>): ExecResult => ({
    exitCode: null,
    output: { head: Buffer.from('partial\n'), tail: new Uint8Array(), omittedBytes: 0 },
    timedOut: false,
    killed: false,
    outcomeUnknown: false,
    durationMs: 2_500,
    ...overrides,
  });

  it("gives no command more time than is left on the agent's clock", async () => {
    const plan = await tool('terminal').plan({ command: 'ls', timeout_sec: 500 }, context([], 7_000));
    expect(plan).toMatchObject({ kind: 'effect', request: { timeoutMs: 7_000 } });
  });

  it('never hides that an outcome is unknown', () => {
    expect(tool('terminal').finish(result({ outcomeUnknown: true }), null)).toMatchObject({
      success: false,
      error: 'outcome_unknown',
    });
    expect(tool('terminal').finish(result({ timedOut: true }), null)).toEqual({
      content: 'partial\n[timed out after 2.5 s: the command and all it started were killed]',
      success: false,
      error: 'timeout',
    });
  });

  it('does not show half a character where output was cut', () => {
    const bytes = Buffer.from('é');
    const output = {
      head: Buffer.concat([Buffer.from('a'), bytes.subarray(0, 1)]),
      tail: Buffer.concat([bytes.subarray(1), Buffer.from('b')]),
      omittedBytes: 9,
    };
    expect(tool('terminal').finish(result({ exitCode: 0, output }), null).content).toBe(
      'a\n[… 9 bytes left out …]\nb',
    );
  });
});

describe('the todo list', () => {
  const item = (id: string, status: string) => ({ id, content: `do ${id}`, status });
  async function calls(...all: Record<string, unknown>[]): Promise<string> {
    const prior: { arguments: string; content: string }[] = [];
    let content = '';
    for (const args of all) {
      const plan = await tool('todo').plan(args, context(prior));
      if (plan.kind !== 'answer') throw new Error('todo runs no command');
      content = plan.answer.content;
      prior.push({ arguments: JSON.stringify(args), content });
    }
    return content;
  }

  it('is what the recorded calls amount to', async () => {
    const set = { todos: [item('a', 'completed'), item('b', 'in_progress'), item('c', 'pending')] };
    const merge = { todos: [item('b', 'completed'), item('d', 'cancelled')], merge: true };
    expect(await calls(set)).toBe('[x] a: do a\n[>] b: do b\n[ ] c: do c\n1 of 3 completed');
    expect(await calls(set, merge, {})).toBe(
      '[x] a: do a\n[x] b: do b\n[ ] c: do c\n[-] d: do d\n2 of 4 completed',
    );
    expect(await calls(set, { todos: [] })).toBe('The list is empty.');
  });

  it('is not changed by calls that were refused', async () => {
    const refused = [
      { arguments: '{"todos": [{"id": 1}]}', content: '' },
      { arguments: '{', content: '' },
    ];
    expect(await tool('todo').plan({}, context(refused))).toMatchObject({
      answer: { content: 'The list is empty.' },
    });
  });
});
