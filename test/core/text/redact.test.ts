import { describe, expect, it } from 'vitest';
import { REDACTED, redact } from '../../../src/core/text/redact.js';
import { threat } from '../../support/threat.js';

const SECRET = 'sk-proj/äöü+"9f31c2 \\ of=the?judge';
const LONG = `sk-${'0123456789abcdefGHIJKLMNOP'.repeat(8)}`;

const base64 = (text: string) => Buffer.from(text).toString('base64');
const base64url = (text: string) => Buffer.from(text).toString('base64url');
const hex = (text: string) => Buffer.from(text).toString('hex');
const wrapped = (text: string, columns: number) => text.replace(new RegExp(`.{${columns}}`, 'g'), '$&\n');

const SPELLINGS: [name: string, spell: (secret: string) => string][] = [
  ['as it is', (secret) => secret],
  ['hexadecimal digits', hex],
  ['hexadecimal digits in capitals', (secret) => hex(secret).toUpperCase()],
  [
    'hexadecimal digits in groups, as xxd and od write them',
    (secret) => hex(secret).replace(/..(?!$)/g, '$& '),
  ],
  ['hexadecimal digits on several lines', (secret) => wrapped(hex(secret), 60)],
  ['percent-encoding', encodeURIComponent],
  ['percent-encoding of a form', (secret) => new URLSearchParams({ secret }).toString().slice(7)],
  [
    'percent-encoding in small letters',
    (secret) => encodeURIComponent(secret).replace(/%../g, (at) => at.toLowerCase()),
  ],
  ['percent-encoding of every byte', (secret) => hex(secret).replace(/../g, '%$&')],
  ['a string of JSON', (secret) => JSON.stringify(secret).slice(1, -1)],
  [
    'a string of JSON in ASCII, as Python writes it',
    (secret) =>
      JSON.stringify(secret)
        .slice(1, -1)
        .replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ],
];

describe(threat('whoever reads the records', 'a secret that a sandbox printed'), () => {
  it.each(SPELLINGS)('it is taken out of a text in this form: %s', (_, spell) => {
    for (const secret of [SECRET, LONG])
      expect(redact(`before ${spell(secret)} after`, ['unrelated', secret])).toBe(`before ${REDACTED} after`);
  });

  const ENCODINGS: [name: string, encode: (text: string) => string][] = [
    ['Base64', base64],
    ['Base64 without padding', (text) => base64(text).replace(/=+$/, '')],
    ['Base64 for addresses', base64url],
    ['Base64 on several lines', (text) => wrapped(base64(text), 76)],
    ['Base64 on several lines of Windows', (text) => wrapped(base64(text), 64).replaceAll('\n', '\r\n')],
    ['Base64 in an address', (text) => encodeURIComponent(base64(text))],
  ];
  it.each(ENCODINGS)(
    'nothing of it can be decoded again from a longer text in %s, wherever it stands',
    (_, encode) => {
      for (const secret of [SECRET, LONG, 'short1'])
        for (const before of ['', 'a', 'ab', 'abc', 'KEY=', 'KEY: '])
          for (const after of ['', '\n', 'yz', 'xyz']) {
            const clean = redact(encode(before + secret + after), [secret]);
            expect(clean).toContain(REDACTED);
            // At the edges a few bits of its first and last byte stay.
            const rest = clean.replace(REDACTED, '');
            expect(rest.replace(/[=\s]|%3D/g, '').length).toBeLessThanOrEqual(
              Math.ceil(((before + after).length * 8) / 6) + 2,
            );
          }
    },
  );

  it('a value that is a part of another does not keep the other from being found', () => {
    expect(redact('token-1234567890', ['token-123', 'token-1234567890'])).toBe(REDACTED);
  });

  it('ordinary words stay: values of less than six characters are no secrets', () => {
    expect(redact('true false 12345', ['true', '12345', ''])).toBe('true false 12345');
  });

  it('a text of megabytes is read in one pass, also when it is written to slow that down', () => {
    const values = [SECRET, LONG, 'a'.repeat(40_000), 'ab'.repeat(20_000), 'correct horse battery staple'];
    const spaced = `${base64('ab'.repeat(400)).slice(0, -4)}${' '.repeat(100_000)}`;
    const hostile = [
      LONG.slice(0, -1),
      'a'.repeat(39_999),
      'ab'.repeat(19_999),
      '%61',
      spaced,
      base64(LONG).slice(0, 200),
    ];
    const text = hostile.map((part) => `${part}!`.repeat(Math.ceil(300_000 / part.length))).join('\n');
    const begun = performance.now();
    expect(redact(text, values)).toBe(text);
    expect(performance.now() - begun).toBeLessThan(30_000);
  }, 60_000);
});
