import { describe, expect, it } from 'vitest';
import type { SamplingTokenizer } from '../../src/core/model/chat-tokenizer.js';
import { timestepsOf } from '../../src/formats/messages-of.js';
import { Spellings } from '../../src/model/policy-server/spellings.js';
import { parse } from '../../src/parsers/index.js';
import { applyEvent, emptyState } from '../../src/sinks/listen/listener-state.js';

/** More than a call takes as arguments, which is where a spread list ends. */
const MANY = 200_000;
const numbers = Array.from({ length: MANY }, (_, i) => i);

describe('lists that come from outside may be longer than a call has room for arguments', () => {
  it('a vocabulary as large as those of Llama 3 and Qwen spells texts', () => {
    const tokenizer = {
      vocabulary: () => numbers.map((id) => [id, `<${id}>`] as const),
      encode: (text: string) => [...text.matchAll(/\d+/g)].map(Number),
      decode: (ids: readonly number[]) => ids.map((id) => `<${id}>`).join(''),
    } as unknown as SamplingTokenizer;
    const spelled = new Spellings(tokenizer).of('<199999>');
    expect(spelled?.(0)).toEqual([{ ids: [199_999], length: 8, usual: true }]);
  });

  it('an answer of so many calls is read', () => {
    const calls = `<tool_call>\n[${'{"name":"a"},'.repeat(MANY)}{"name":"a"}]\n</tool_call>`;
    expect(parse(calls, { family: 'hermes' }).toolCalls).toHaveLength(MANY + 1);
  });

  it('a conversation that ends with so many unanswered messages is read', () => {
    const asked = numbers.map(() => ({ role: 'user' as const, content: 'Go on.', label: null }));
    const answer = { role: 'assistant' as const, content: 'x', reasoning: null, toolCalls: [], label: null };
    const steps = timestepsOf([...asked.slice(0, 1), answer, ...asked], []);
    expect(steps.flatMap(({ chats }) => chats.flatMap(({ messages }) => messages))).toHaveLength(MANY + 2);
  });

  it('a trainer that comes back with another batch size gets the whole batch that was outstanding again', () => {
    const entries = numbers.map(() => ({ items: [], deliveries: 1 }));
    const state = { ...emptyState(), outstanding: { batch: 1, entries, counted: true } };
    const registration = { batchSize: 8, startingStep: 0 } as NonNullable<typeof state.registration>;
    applyEvent(state as never, { kind: 'registered', registration } as never);
    expect(state.queue).toHaveLength(MANY);
  });
});
