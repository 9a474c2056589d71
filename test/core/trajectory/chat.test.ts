import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Chat } from '../../../src/core/trajectory/chat.js';
import { chatSchema, type TrajectoryMessage } from '../../../src/core/trajectory/trajectory.schema.js';
import { fromWire, toWire } from '../../../src/store/wire/wire.js';
import { assistant, calling, observation, PARTS_MESSAGE, system, user } from './fixtures.js';

const KNOWN = { logprobs: [-0.1, -0.2], topTokens: [['a'], ['b']], tokenTopLogprobs: [[-0.1], [-0.2]] };
const NONE = { logprobs: null, topTokens: null, tokenTopLogprobs: null };
const chatOf = (...messages: TrajectoryMessage[]): Chat => Chat.of({ messages, ...KNOWN });

const LABELS = ['task', 'observation', 'summary', 'constructor'];
const anyMessage = fc.oneof(
  fc
    .tuple(fc.string(), fc.option(fc.constantFrom(...LABELS)))
    .map(([content, label]) => user(content, label)),
  fc.constantFrom(system(), assistant(), calling(), observation(), PARTS_MESSAGE),
);
const anyMessages = fc.array(anyMessage, { maxLength: 12 });
const anyLimits = fc.dictionary(fc.constantFrom(...LABELS, 'unused'), fc.nat({ max: 4 }));

describe('a chat', () => {
  it('cannot be changed, nor can its messages, and keeps nothing of who made it', () => {
    const message = user();
    const chat = chatOf(message, calling());
    message.content = 'changed';
    expect(chat.messages[0]?.content).toBe('Do it');
    expect(() => chat.messages.push(assistant())).toThrow(TypeError);
    expect(() => Object.assign(chat.messages[1] as object, { content: 'changed' })).toThrow(TypeError);
    expect(() => Object.assign(chat, { logprobs: null })).toThrow(TypeError);
  });

  it('is stored and read as agoge’s record', () => {
    const chat = chatOf(system(), PARTS_MESSAGE, calling(), observation());
    const wire = toWire(chatSchema, chat) as { messages: object[] };
    expect(wire).toMatchObject({ top_tokens: [['a'], ['b']], token_top_logprobs: [[-0.1], [-0.2]] });
    expect(wire.messages).toEqual(chat.toDict());
    expect(Chat.of(fromWire(chatSchema, wire))).toEqual(chat);
  });

  it('plus a message, plus a chat, and after a message is a new chat without log-probabilities', () => {
    fc.assert(
      fc.property(anyMessages, anyMessages, anyMessage, (a, b, message) => {
        const chat = chatOf(...a);
        expect({ ...chat.add(message) }).toEqual({ messages: [...a, message], ...NONE });
        expect({ ...chat.add(chatOf(...b)) }).toEqual({ messages: [...a, ...b], ...NONE });
        expect({ ...chat.prepend(message) }).toEqual({ messages: [message, ...a], ...NONE });
        expect({ ...chat }).toEqual({ messages: a, ...KNOWN });
      }),
    );
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'Do it'],
    ['a list of messages', [user()]],
    ['a message of an unknown role', { role: 'developer', content: 'x' }],
    ['a message without content', { role: 'user' }],
  ])('plus %s is a TypeError', (_, operand) => {
    const chat = chatOf(user());
    expect(() => chat.add(operand as never)).toThrow(TypeError);
    expect(() => chat.prepend(operand as never)).toThrow(TypeError);
  });

  it('before a chat is that chat plus it: a chat cannot be prepended as if it were a message', () => {
    expect(() => chatOf(user()).prepend(chatOf(user()) as never)).toThrow(TypeError);
  });
});

describe('the messages as dictionaries', () => {
  it('are in snake case, without what is excluded', () => {
    const chat = Chat.of({ messages: [calling(), observation(), PARTS_MESSAGE] });
    expect(chat.toDict({ exclude: ['label', 'reasoning'] })).toEqual([
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'terminal', arguments: '{"command":"ls"}' } },
        ],
      },
      { role: 'tool', content: 'notes.txt', tool_call_id: 'c1', name: 'terminal' },
      {
        role: 'user',
        content: expect.arrayContaining([
          { type: 'image_url', image_url: { url: 'https://example.org/b.png', detail: 'low' } },
          { type: 'image_file', image_file: { file_id: 'file-1' } },
        ]),
      },
    ]);
  });

  it('are what a tokenizer’s chat template gets, with all other options', () => {
    const seen: unknown[] = [];
    const tokenizer = {
      apply_chat_template(messages: object[], options: { add_generation_prompt: boolean }): number[] {
        seen.push(messages, options);
        return [1, 2, 3];
      },
    };
    const options = { exclude: ['label'] as const, add_generation_prompt: true };
    expect(chatOf(user('Hi', 'task')).applyChatTemplate(tokenizer, options)).toEqual([1, 2, 3]);
    expect(seen).toEqual([[{ role: 'user', content: 'Hi' }], { add_generation_prompt: true }]);
  });
});

describe('log-probabilities', () => {
  it('stand beside every id of the templated chat', () => {
    const chat = Chat.of({ messages: [user()] }).withLogprobs(KNOWN, 2);
    expect(chat).toMatchObject(KNOWN);
    expect(() => Chat.of({ messages: [user()] }).checkLogprobs(7)).not.toThrow();
  });

  it.each([
    [{ logprobs: [-0.1] }, 'chat.logprobs: found 1 entries; the templated chat has 2 ids'],
    [{ topTokens: [] }, 'chat.top_tokens: found 0 entries; the templated chat has 2 ids'],
    [{ tokenTopLogprobs: [[0], [0], [0]] }, 'chat.token_top_logprobs: found 3 entries'],
  ])('of another number are refused by name: %j', (known, message) => {
    expect(() => Chat.of({ messages: [user()] }).withLogprobs({ ...KNOWN, ...known }, 2)).toThrow(message);
  });
});

describe('a history view', () => {
  it('keeps the newest of each limited label, everything else, and the order', () => {
    fc.assert(
      fc.property(anyMessages, anyLimits, (messages, limits) => {
        const view = chatOf(...messages).historyView(limits);
        const newer = (at: number): number =>
          messages.slice(at + 1).filter(({ label }) => label === messages[at]?.label).length;
        const expected = messages.filter(
          ({ label }, at) =>
            label === null || !Object.hasOwn(limits, label) || newer(at) < (limits[label] ?? 0),
        );
        expect({ ...view }).toEqual({ messages: expected, ...NONE });
      }),
    );
  });

  it('without limits keeps everything, and is a new chat', () => {
    const chat = chatOf(system(), user('a', 'task'));
    expect({ ...chat.historyView() }).toEqual({ messages: chat.messages, ...NONE });
    expect({ ...chat.historyView({}) }).toEqual({ messages: chat.messages, ...NONE });
  });

  it('of 0 drops all messages of a label', () => {
    const chat = chatOf(user('a', 'task'), observation('1'), observation('2'));
    expect(chat.historyView({ observation: 0 }).messages).toEqual([user('a', 'task')]);
  });
});
