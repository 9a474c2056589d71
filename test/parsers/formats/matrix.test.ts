import { describe, expect, it } from 'vitest';
import { FAMILIES, parse } from '../../../src/parsers/index.js';

const ARGS = { command: 'ls -la' };
const JSON_ARGS = JSON.stringify(ARGS);
const OPENAI = `{"type":"function","function":{"name":"terminal","arguments":${JSON.stringify(JSON_ARGS)}}}`;
const TAGGED = `<tool_call>\n{"name": "terminal", "arguments": ${JSON_ARGS}}\n</tool_call>`;
const TOOLS = [{ name: 'terminal', description: '', parameters: { type: 'object', properties: {} } }];

interface Row {
  family: string;
  format: string;
  reasoning: string | null;
  text: string;
}

/** The matrix of families of the guide, and the two families that it lacks. */
const ROWS: Row[] = [
  {
    family: 'hermes',
    format: 'XML tags',
    reasoning: '<reasoning>',
    text: `<reasoning>Look first.</reasoning>${TAGGED}`,
  },
  {
    family: 'deepseek',
    format: 'JSON in <tool_call>',
    reasoning: '<think>',
    text: `<think>Look first.</think>\n${TAGGED}`,
  },
  { family: 'qwen', format: 'OpenAI JSON', reasoning: null, text: OPENAI },
  {
    family: 'qwen',
    format: 'OpenAI JSON',
    reasoning: '<think>',
    text: `<think>\nLook first.\n</think>\n\n${OPENAI}`,
  },
  { family: 'glm', format: 'function call JSON', reasoning: null, text: `terminal\n${JSON_ARGS}` },
  {
    family: 'glm',
    format: 'function call JSON',
    reasoning: null,
    text: `{"name": "terminal", "arguments": ${JSON_ARGS}}`,
  },
  { family: 'llama', format: 'OpenAI-compatible', reasoning: null, text: OPENAI },
  {
    family: 'llama',
    format: 'Llama 3 JSON',
    reasoning: null,
    text: `{"name": "terminal", "parameters": ${JSON_ARGS}}`,
  },
  {
    family: 'kimi',
    format: 'OpenAI-compatible',
    reasoning: '<think>',
    text: `<think>Look first.</think>${OPENAI}`,
  },
  { family: 'mistral', format: 'OpenAI-compatible', reasoning: null, text: `{"tool_calls":[${OPENAI}]}` },
  {
    family: 'openai',
    format: 'standard function calling',
    reasoning: null,
    text: `{"tool_calls":[${OPENAI}]}`,
  },
  {
    family: 'harmony',
    format: 'channels',
    reasoning: 'analysis',
    text:
      '<|channel|>analysis<|message|>Look first.<|end|><|start|>assistant' +
      `<|channel|>commentary to=functions.terminal <|constrain|>json<|message|>${JSON_ARGS}<|call|>`,
  },
  {
    family: 'minimax',
    format: 'tags',
    reasoning: '<think>',
    text:
      '<think>\nLook first.\n</think>\n\n<minimax:tool_call>\n<invoke name="terminal">\n' +
      '<parameter name="command">ls -la</parameter>\n</invoke>\n</minimax:tool_call>',
  },
];

describe('each family reads the format and the reasoning of its row in the matrix', () => {
  it.each(ROWS)('$family: $format, reasoning $reasoning', ({ family, text, reasoning }) => {
    const result = parse(text, { family, tools: TOOLS });
    expect(result).toMatchObject({ family, mismatch: null, content: '', failures: [], notices: [] });
    expect(result.reasoning).toBe(reasoning === null ? null : 'Look first.');
    expect(result.toolCalls.map((call) => [call.name, call.arguments, call.repairs])).toEqual([
      ['terminal', ARGS, []],
    ]);
  });

  it('has a row for each family', () => {
    expect(new Set(ROWS.map(({ family }) => family))).toEqual(new Set(FAMILIES));
  });
});

describe('a text in the format of another family', () => {
  it.each(ROWS.filter(({ family }) => ['harmony', 'minimax'].includes(family)))(
    'is read as $family, which is said',
    ({ family, text }) => {
      const result = parse(text, { family: 'hermes', tools: TOOLS });
      expect(result.mismatch).toEqual({ asked: 'hermes', found: family });
      expect(result.toolCalls.map((call) => call.arguments)).toEqual([ARGS]);
    },
  );

  it('is found out without a family', () => {
    for (const { family, text } of ROWS.filter((row) => ['harmony', 'minimax'].includes(row.family)))
      expect(parse(text, { family: 'auto' })).toMatchObject({ family, mismatch: null });
  });
});
