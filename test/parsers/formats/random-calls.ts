import fc from 'fast-check';
import type { WrittenCall } from '../../../src/parsers/call-format.js';
import { allMarks } from '../../../src/parsers/families.js';

/** Tags and tokens of every family, and what else misleads a reader. */
export const SNIPPETS: readonly string[] = [
  ...allMarks(null).marks,
  ...[
    '</tool_call>',
    '</function>',
    '</parameter>',
    '<parameter=k>',
    '<parameter=zz>',
    '</arg_value>',
    '<arg_key>',
  ],
  ...['</invoke>', '<invoke name="f">', '<parameter name="k">', '</minimax:tool_call>', '</tool_calls>'],
  ...[
    '<｜tool▁call▁end｜>',
    '<｜tool▁calls▁end｜>',
    '<｜tool▁sep｜>',
    '</｜DSML｜parameter>',
    '</｜DSML｜invoke>',
  ],
  ...[
    '<|tool_call_end|>',
    '<|tool_calls_section_end|>',
    '<|message|>',
    '<|end|>',
    '<|call|>',
    '[ARGS]',
    '[CALL_ID]',
  ],
  ...[
    '<think>',
    '</think>',
    '```json\n',
    '```',
    '{"name":"f","arguments":{}}',
    '{',
    '}',
    '"',
    "'",
    '\\',
    '\n',
    '  ',
  ],
  ...[
    '<function=f>',
    '{"a":',
    '&lt;',
    '\u2028',
    '\ud800',
    'ü',
    '漢字',
    '🦜',
    '\t',
    '[f(a=1)]',
    'f\n{"a":1}',
    '\u0000',
  ],
];

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc
    .array(fc.constantFrom(...SNIPPETS, 'a', '1', 'null', ' '), { maxLength: 6 })
    .map((parts) => parts.join('')),
);
const number = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((n) => (n === 0 ? 0 : n));

const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(text, tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;

const key = fc.constantFrom('a', 'k', 'path', 'content', 'a-b', 'x.y', '__proto__', 'name', 'arguments');

/** One to three calls of different tools. */
export const randomCalls: fc.Arbitrary<WrittenCall[]> = fc
  .array(fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true }), { minLength: 1, maxLength: 3 })
  .map((all) =>
    all.map((args, index) => ({ id: `call${index}abcd`, name: `tool_${index}`, arguments: args })),
  );
