import { describe, expect, it } from 'vitest';
import { parse, parseMessage } from '../../src/parsers/index.js';
import { tools } from './tools.js';

const CALL = '<tool_call>{"name":"t","arguments":{}}</tool_call>';
const read = (text: string, options = {}) => parse(text, { family: 'hermes', ...options });

describe('think blocks', () => {
  it.each([
    'think',
    'thinking',
    'thought',
    'reasoning',
    'REASONING_SCRATCHPAD',
    'Think',
    'THINKING',
    'reasoning_scratchpad',
  ])('<%s> is reasoning, and a call in it is not executed', (tag) => {
    const result = read(`<${tag}>\nFirst ${CALL}\n</${tag}>\nSo: ${CALL}`);
    expect(result).toMatchObject({ reasoning: `First ${CALL}`, content: 'So:' });
    expect(result.toolCalls).toHaveLength(1);
  });

  it.each([
    ['[THINK]', '[/THINK]'],
    ['◁think▷', '◁/think▷'],
  ])('%s is reasoning', (open, close) => {
    expect(read(`${open}Hm.${close}Yes.`)).toMatchObject({ reasoning: 'Hm.', content: 'Yes.' });
  });

  it('of one text are joined by a blank line, and content around them is kept', () => {
    const result = read('a <think>one</think> b <think></think><think>two</think> c');
    expect(result.reasoning).toBe('one\n\ntwo');
    expect(result.content.split(/\s+/)).toEqual(['a', 'b', 'c']);
  });

  it('that the template opened end at the first closing tag, with all that stands before it', () => {
    const result = read(`maybe ${CALL}\n</think>\nanswer ${CALL}`, { family: 'deepseek' });
    expect(result).toMatchObject({ reasoning: `maybe ${CALL}`, content: 'answer' });
    expect(result.toolCalls).toHaveLength(1);
  });

  it('that are known not to be opened make a closing tag text, and those known to be open need none', () => {
    expect(read('say </think> aloud', { thinkOpened: false })).toMatchObject({
      content: 'say </think> aloud',
      reasoning: null,
    });
    expect(read(`still ${CALL}`, { thinkOpened: true })).toMatchObject({ content: '', toolCalls: [] });
  });

  it('that never end take the rest with them, and the result says so', () => {
    const result = read(`So <think>hm ${CALL}`);
    expect(result).toMatchObject({ content: 'So', reasoning: `hm ${CALL}`, toolCalls: [] });
    expect(result.notices.join()).toContain('never closed');
  });

  it('within the arguments of a call are text', () => {
    const text = '<tool_call>{"name":"t","arguments":{"a":"<think>x</think> </think>"}}</tool_call>';
    expect(read(text)).toMatchObject({
      reasoning: null,
      toolCalls: [{ arguments: { a: '<think>x</think> </think>' } }],
    });
  });
});

describe('a message of a chat API', () => {
  const message = (fields: object, options = {}) => parseMessage(fields, { family: 'auto', ...options });

  it('gives all its reasoning, each piece once', () => {
    const details = [
      { type: 'reasoning.text', text: 'b' },
      { type: 'reasoning.summary', summary: 'c' },
    ];
    expect(
      message({
        content: '<think>e</think>x',
        reasoning: 'a',
        reasoning_content: 'a',
        reasoning_details: details,
      }),
    ).toMatchObject({
      content: 'x',
      reasoning: 'a\n\nb\n\nc\n\ne',
    });
    const typed = [
      { type: 'thinking', thinking: 'd' },
      { type: 'text', text: 'x' },
    ];
    expect(message({ content: typed })).toMatchObject({ content: 'x', reasoning: 'd' });
    expect(message({ reasoning: 'b c', reasoning_details: [{ text: 'b' }, { text: ' c' }] }).reasoning).toBe(
      'b c',
    );
  });

  it('gives its structured calls, with their own ids beside ours', () => {
    const tool_calls = [
      { id: 'functions.t:0', type: 'function', function: { name: 't', arguments: '{"a":1}' } },
      { id: 'x', type: 'function', function: { name: 't', arguments: '{"a":' } },
      { function: { name: 'T', arguments: '' } },
    ];
    const result = message({ content: 'On it.', tool_calls }, { tools: tools('t') });
    expect(result.content).toBe('On it.');
    expect(result.toolCalls).toMatchObject([
      { id: 'call_0', nativeId: 'functions.t:0', name: 't', arguments: { a: 1 }, repairs: [] },
      { id: 'call_1', nativeId: null, name: 't', arguments: {}, repairs: [{ kind: 'name' }] },
    ]);
    expect(result.failures).toMatchObject([{ code: 'truncated' }]);
  });

  it('gives the calls of its text where it has no others', () => {
    expect(message({ content: `ok ${CALL}` })).toMatchObject({ content: 'ok', toolCalls: [{ name: 't' }] });
    expect(
      message({ content: [{ type: 'tool_use', id: 'u', name: 't', input: { a: 1 } }] }).toolCalls,
    ).toMatchObject([{ nativeId: 'u', name: 't', arguments: { a: 1 } }]);
    expect(message({})).toMatchObject({ content: '', reasoning: null, toolCalls: [] });
  });
});
