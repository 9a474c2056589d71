import { describe, expect, it } from 'vitest';
import { parse } from '../../src/parsers/index.js';
import { PROBES } from './probe-inputs.js';

type Ours = {
  content: string;
  calls: [name: string, args: Record<string, unknown>, repairs?: string[]][];
  failures?: string[];
  reasoning?: string;
};

/** What we make of each probe, by family and title. */
const OURS: Record<string, Ours> = {
  'hermes plain': { content: 'hello', calls: [] },
  'hermes one': { content: 'ok', calls: [['t', { a: 1 }]] },
  'hermes args as string': { content: '', calls: [['t', { a: 1 }, ['string_encoded_arguments']]] },
  'hermes no args': { content: '', calls: [['t', {}, ['no_arguments']]] },
  'hermes unclosed complete json': { content: '', calls: [['t', { a: 1 }, ['missing_close_tag']]] },
  'hermes unclosed truncated': {
    content: '',
    calls: [['t', { a: 1 }, ['unclosed_json', 'missing_close_tag']]],
  },
  'hermes one good one bad': {
    content: '',
    calls: [
      ['t', { a: 1 }],
      ['u', { a: 1 }, ['unclosed_json']],
    ],
  },
  'hermes closing tag inside string': { content: '', calls: [['t', { a: '</tool_call>' }]] },
  'hermes raw newline in string': { content: '', calls: [['t', { a: 'x\ny' }, ['raw_control_characters']]] },
  'hermes single quotes': { content: '', calls: [['t', {}, ['single_quotes']]] },
  'hermes array json': { content: '', calls: [['t', {}, ['array_of_calls']]] },
  'hermes in think': {
    content: 'answer',
    calls: [],
    reasoning: 'maybe <tool_call>{"name":"t","arguments":{}}</tool_call>',
  },
  'hermes trailing text': { content: 'and then bye', calls: [['t', {}]] },
  'hermes mention only': { content: 'use <tool_call> tags', calls: [] },
  'longcat one': { content: '', calls: [['t', { a: 1 }]] },
  'longcat no name': { content: '', calls: [], failures: ['no_name'] },
  'llama3_json one': { content: '', calls: [['f', { a: 1 }]] },
  'llama3_json two semi': {
    content: '',
    calls: [
      ['f', { a: 1 }],
      ['g', {}],
    ],
  },
  // Nobody offered a tool f, and the text is not calls alone: JSON in prose is prose.
  'llama3_json json in prose': { content: 'result {"x":1} then {"name":"f","arguments":{}}', calls: [] },
  'llama3_json nested in wrapper': { content: '', calls: [['f', {}]] },
  'llama3_json array': { content: '', calls: [['f', {}, ['array_of_calls']]] },
  'llama3_json name but params null': { content: '', calls: [['f', {}, ['no_arguments']]] },
};

describe('every recorded probe of the JSON formats', () => {
  it.each(PROBES)('$family: $title', ({ family, title, text }) => {
    const ours = OURS[`${family} ${title}`];
    const result = parse(text, { family });
    expect({
      content: result.content,
      calls: result.toolCalls.map((call) => [
        call.name,
        call.arguments,
        call.repairs.map(({ kind }) => kind),
      ]),
      failures: result.failures.map(({ code }) => code),
      reasoning: result.reasoning,
    }).toEqual({
      content: ours?.content,
      calls: ours?.calls.map(([name, args, repairs = []]) => [name, args, repairs]),
      failures: ours?.failures ?? [],
      reasoning: ours?.reasoning ?? null,
    });
  });

  it('loses no text and no call that the older parsers kept', () => {
    for (const { family, title, text, recorded } of PROBES) {
      const { toolCalls, failures, content, reasoning } = parse(text, {
        family,
        tools: known('f', 'g', 't', 'u'),
      });
      const names = toolCalls.map(({ name }) => name);
      const ran = title === 'in think' ? [] : (recorded.calls ?? []).map(([name]) => name);
      expect(names, title).toEqual(expect.arrayContaining(ran));
      const said = content + (reasoning ?? '') + failures.map(({ raw }) => raw).join('');
      if (names.length === 0) expect(said, title).not.toBe('');
    }
  });

  it('runs JSON in prose when it names a tool, and keeps the prose', () => {
    const text = 'result {"x":1} then {"name":"f","arguments":{}}';
    const { content, toolCalls } = parse(text, { family: 'llama', tools: known('f') });
    expect(content).toBe('result {"x":1} then');
    expect(toolCalls.map(({ name }) => name)).toEqual(['f']);
  });
});

function known(...names: string[]) {
  return names.map((name) => ({ name, description: '', parameters: {} }));
}
