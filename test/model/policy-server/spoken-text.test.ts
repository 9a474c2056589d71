import { describe, expect, it } from 'vitest';
import { ownTokenizerFiles } from '../../../src/model/policy-server/index.js';
import { spokenText } from '../../../src/model/policy-server/policy.js';
import { tokenizerOf } from '../../../src/model/tokenizer/open-tokenizer.js';
import { FAMILIES, parse } from '../../../src/parsers/index.js';

const tokenizer = tokenizerOf(ownTokenizerFiles());
const TOOL = {
  name: 'terminal',
  description: 'Runs.',
  parameters: { type: 'object', properties: { command: { type: 'string' } } },
};
const CALL = { name: 'terminal', arguments: { command: 'echo "é" > /app/answer' } };

describe('what the policy server writes for a scripted answer', () => {
  it.each([null, ...FAMILIES])('in the format of %s is read back as the same calls', (family) => {
    const text = spokenText({ content: 'I write it.', toolCalls: [CALL] }, 0, tokenizer, family);
    const read = parse(text, { family: family ?? 'hermes', tools: [TOOL] });
    expect(read.toolCalls).toMatchObject([CALL]);
    expect(read.failures).toEqual([]);
    if (family !== 'harmony') expect(read.content).toContain('I write it.');
  });

  it('keeps arguments that are no JSON, as models write them', () => {
    const text = spokenText(
      { toolCalls: [{ name: 'terminal', arguments: '{"command": ls' }] },
      0,
      tokenizer,
      null,
    );
    expect(text).toContain('"arguments": {"command": ls}');
    expect(parse(text, { family: 'hermes' }).toolCalls).not.toMatchObject([{ arguments: { command: 'ls' } }]);
  });

  it('is what the chat template renders, so that the usual spelling goes on from turn to turn', () => {
    const said = { content: 'Look.', reasoning: 'A file?', toolCalls: [CALL] };
    const question = { role: 'user', content: 'Do it.' };
    const answer = {
      ...{ role: 'assistant', content: said.content, reasoning_content: said.reasoning },
      tool_calls: [{ id: 'c', type: 'function', function: CALL }],
    };
    const prompt = tokenizer.render([question], { tools: [], generationPrompt: true, now: 0 });
    const whole = tokenizer.render([question, answer], { tools: [], generationPrompt: false, now: 0 });
    expect(whole).toBe(`${prompt}${spokenText(said, 0, tokenizer, null)}<|im_end|>\n`);
  });
});
