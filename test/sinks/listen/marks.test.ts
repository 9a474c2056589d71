import { expect, test } from 'vitest';
import { marked } from '../../../src/sinks/listen/item-store.js';

const MARK = { batch: 3, n: 1 };

test.each([
  ['null', { delivery: MARK }],
  ['{}', { delivery: MARK }],
  ['{"group_id": "g"}', { group_id: 'g', delivery: MARK }],
  ['{"about": "\\"delivery\\""}', { about: '"delivery"', delivery: MARK }],
  // A longrun run posts to another one's listener.
  [
    '{"group_id": "g", "delivery": {"attempt": 2, "resent": true}}',
    { group_id: 'g', posted: { attempt: 2, resent: true }, delivery: MARK },
  ],
])('%s is marked with its delivery, and loses nothing', (overrides, wanted) => {
  const text = marked(overrides, MARK);
  expect(JSON.parse(text)).toEqual(wanted);
  expect(text.match(/"delivery":/g)).toHaveLength(1);
});
