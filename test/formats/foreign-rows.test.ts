import { describe, expect, test } from 'vitest';
import { messagesReader } from '../../src/formats/messages/messages-reader.js';
import { shareGptReader } from '../../src/formats/sharegpt/sharegpt-reader.js';

const PLACE = { file: 'rows.jsonl', line: 3 };
const KINDS = [
  {
    name: 'sharegpt',
    reader: shareGptReader,
    talk: {
      conversations: [
        { from: 'human', value: 'hi' },
        { from: 'gpt', value: 'hello' },
      ],
    },
  },
  {
    name: 'messages',
    reader: messagesReader,
    talk: {
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'hello' },
      ],
    },
  },
] as const;

describe.each(KINDS)('a $name row of another tool', ({ reader, talk }) => {
  const read = (facts: Record<string, unknown>) => reader.open().row({ ...talk, ...facts }, PLACE)[0];

  test('keeps its own columns and metadata in metadata', () => {
    const row = { category: 'x', extra: { n: 1 }, nothing: null, metadata: { lang: 'de' } };
    expect(read(row)?.metadata).toEqual({ category: 'x', extra: { n: 1 }, lang: 'de' });
  });

  test('is refused where its reward is no number', () => {
    expect(() => read({ reward: 'high' })).toThrow('reward: found "high", accepted is a number or null');
  });

  test('is refused where completed is neither true nor false', () => {
    expect(() => read({ completed: 'yes' })).toThrow('completed: found "yes", accepted is true or false');
  });

  test('is complete and without a score where it says neither', () => {
    expect(read({})).toMatchObject({ outcome: { completed: true }, rewards: [] });
  });
});
