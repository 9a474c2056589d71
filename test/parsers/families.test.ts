import { describe, expect, it } from 'vitest';
import { FAMILIES, type Family, formatsOf, parse, renderToolCalls } from '../../src/parsers/index.js';
import { SAMPLES } from './samples.js';
import { tools } from './tools.js';

const TAG = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>';
const API_JSON = '{"name": "f", "arguments": {"a": 1}}';
const WRAPPED =
  '{"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\\"a\\":1}"}}]}';
const CALLED = [{ name: 'f', arguments: { a: 1 } }];
const read = (text: string, family: string) => parse(text, { family, tools: tools('f') });

describe('each row of the model family matrix is read in its own format and with its reasoning tag', () => {
  it.each<[row: string, family: Family, text: string, reasoning: string | null]>([
    ['Hermes: tags, <reasoning>', 'hermes', `<reasoning>Hm.</reasoning>${TAG}`, 'Hm.'],
    ['DeepSeek: JSON in <tool_call>, <think>', 'deepseek', `<think>Hm.</think>${TAG}`, 'Hm.'],
    ['Qwen: OpenAI-compatible JSON, optional <think>', 'qwen', `<think>Hm.</think>${API_JSON}`, 'Hm.'],
    ['Qwen: without <think>', 'qwen', WRAPPED, null],
    ['GLM: function call JSON, reasoning not exposed', 'glm', API_JSON, null],
    ['Llama: OpenAI-compatible, optional chain', 'llama', `<thought>Hm.</thought>${API_JSON}`, 'Hm.'],
    ['Kimi: OpenAI-compatible, <think>', 'kimi', `<think>Hm.</think>${WRAPPED}`, 'Hm.'],
    ['Mistral: OpenAI-compatible, reasoning not exposed', 'mistral', WRAPPED, null],
    ['OpenAI (fallback): standard function calling', 'openai', WRAPPED, null],
  ])('%s', (_row, family, text, reasoning) => {
    expect(read(text, family)).toMatchObject({
      toolCalls: CALLED,
      failures: [],
      family,
      mismatch: null,
      reasoning,
      content: '',
    });
  });
});

describe('the family of a text', () => {
  it.each(SAMPLES)('is found without being told: $family, $title', ({ family, text }) => {
    const found = read(text, 'auto');
    expect(found).toMatchObject({ toolCalls: CALLED, failures: [], mismatch: null });
    // JSON in <tool_call> is written by several; Hermes is its first user.
    expect([family, 'hermes']).toContain(found.family);
  });

  it.each(SAMPLES)('that is named is taken at its word: $family, $title', ({ family, text }) => {
    expect(read(text, family)).toMatchObject({ toolCalls: CALLED, failures: [], family, mismatch: null });
  });

  it.each(SAMPLES.filter(({ family }) => !['hermes', 'openai'].includes(family)))(
    'that contradicts the text is reported, and the calls are read all the same: $family, $title',
    ({ family, text }) => {
      const result = read(text, 'openai');
      expect(result.toolCalls).toMatchObject(CALLED);
      expect(result.mismatch).toMatchObject({ asked: 'openai' });
      expect([family, 'hermes']).toContain(result.family);
    },
  );

  it('that is unknown is read as openai, and the result says so', () => {
    const result = read(API_JSON, 'frobnicator-9000');
    expect(result).toMatchObject({ family: 'openai', toolCalls: CALLED, mismatch: null });
    expect(result.notices.join()).toContain('frobnicator-9000');
  });

  it.each([
    ['longcat', 'hermes'],
    ['Qwen3-Coder', 'qwen'],
    ['qwen2.5', 'qwen'],
    ['deepseek_v3_1', 'deepseek'],
    ['deepseek_dsml', 'deepseek'],
    ['glm47', 'glm'],
    ['llama3_json', 'llama'],
    ['llama4_pythonic', 'llama'],
    ['kimi_k2', 'kimi'],
    ['gpt-oss', 'harmony'],
    ['gpt-4o', 'openai'],
    ['minimax-m2', 'minimax'],
  ])('may be called %s', (name, family) => {
    expect(parse('', { family: name })).toMatchObject({ family, notices: [], mismatch: null });
  });
});

describe('calls quoted in prose', () => {
  const call = (name: string) => `{"name":"${name}","arguments":{}}`;

  it('are run only when they name a tool', () => {
    const { toolCalls, content } = read(`Write ${call('g')} or ${call('f')} here.`, 'openai');
    expect(toolCalls.map(({ name }) => name)).toEqual(['f']);
    expect(content).toBe(`Write ${call('g')} or  here.`);
  });

  it('are text beside calls with marks, and for families that use marks', () => {
    expect(read(`Not ${call('f')}: ${TAG}`, 'auto').toolCalls).toHaveLength(1);
    expect(read(`Like ${call('f')}, say.`, 'hermes').toolCalls).toEqual([]);
    expect(read(call('f'), 'hermes')).toMatchObject({
      toolCalls: [{ name: 'f' }],
      mismatch: { found: 'openai' },
    });
  });

  it('are text when they are part of other JSON', () => {
    for (const text of [
      `{"example": ${call('f')}}`,
      `{"list": [1, ${call('f')}]}`,
      `{"a": oops, "b": ${call('f')}}`,
    ])
      expect(read(text, 'openai'), text).toMatchObject({ toolCalls: [], content: text });
  });

  it('or with marks are text within the JSON of another call', () => {
    const content = `<think>x</think> ${TAG} [TOOL_CALLS]f{"a":2} <|tool_call_begin|>`;
    const write = JSON.stringify({ name: 'f', arguments: { content } });
    for (const text of [write, `I write it: ${write}`, `\`\`\`json\n${write}\n\`\`\``])
      expect(read(text, 'openai')).toMatchObject({
        toolCalls: [{ arguments: { content } }],
        reasoning: null,
      });
    expect(read(`{"type": "quote", "text": ${JSON.stringify(content)}}`, 'auto').toolCalls).toEqual([]);
  });

  it('or answers that are JSON stay answers', () => {
    for (const text of [
      '{"name": "Alice", "age": 5}',
      '{"name":"Bob"}',
      '[{"id":1},{"id":2}]',
      '{"type":"object"}',
    ])
      expect(read(text, 'auto'), text).toMatchObject({ toolCalls: [], failures: [], content: text });
  });
});

describe('rendering', () => {
  const calls = [
    { id: 'abcdefgh1', name: 'f', arguments: { a: 1 } },
    { id: 'abcdefgh2', name: 'g', arguments: {} },
  ];

  it.each(FAMILIES.flatMap((family) => formatsOf(family).map((format) => [family, format] as const)))(
    'is the inverse of reading: %s, %s',
    (family, format) => {
      const text = renderToolCalls(family, calls, { format });
      const result = parse(text, { family, tools: intTools() });
      expect(result).toMatchObject({ content: '', failures: [], family, mismatch: null });
      expect(result.toolCalls.map((one) => [one.name, one.arguments, one.repairs])).toEqual(
        calls.map((one) => [one.name, one.arguments, []]),
      );
    },
  );

  it('writes the format that an alias stands for, and refuses one that the family has not', () => {
    expect(renderToolCalls('longcat', calls)).toContain('<longcat_tool_call>');
    expect(() => renderToolCalls('hermes', calls, { format: 'kimi-k2' })).toThrow(/has no format/);
  });
});

function intTools() {
  const parameters = { type: 'object', properties: { a: { type: 'integer' } } };
  return ['f', 'g'].map((name) => ({ name, description: '', parameters }));
}
