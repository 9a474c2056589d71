import { gzipSync } from 'node:zlib';
import type { Random } from './random.js';

/** What is put into good bodies in the place of something else. */
const WORDS = [
  ...['NaN', '-Infinity', 'null', 'true', '""', '[]', '{}', '0', '-0', '-1', '1e308', '1e999', '5e-324'],
  ...['9007199254740993', '1e15', '0.1', '2147483648', '-9223372036854775809', '1E400', '00', '+1', '.5'],
  ...[
    '"\\ud800"',
    '"\\u0000"',
    '"\u202e"',
    '"\\u001b]52;c;aGk=\\u0007"',
    '"nan"',
    '"1e999"',
    '" 1 "',
    '"0x10"',
  ],
  ...['"__proto__":{"a":1},', '"constructor":1,', '"toString":null,', '"tokens":1,', '"length":1,'],
  ...[',', ':', '"', '\\', '[', ']', '{', '}', '\u0000', '\ufeff', '[[', ']]', '[1,', '\\"'],
];

/** A good body with some of its bytes changed, taken out, doubled, or replaced by something that is often at fault. */
export function mutated(random: Random, good: string): Buffer {
  let body = Buffer.from(good);
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(body.length + 1);
    const end = Math.min(body.length, at + random.below(random.of([2, 10, 200])));
    const word = Buffer.from(random.of(WORDS));
    const byte = Buffer.from([random.below(256)]);
    const put = random.of([
      Buffer.alloc(0),
      byte,
      word,
      word,
      word,
      Buffer.concat([body.subarray(at, end), body.subarray(at, end)]),
    ]);
    body = Buffer.concat([body.subarray(0, at), put, body.subarray(random.of([at, end]))]);
  }
  return body;
}

/** The same document with another value in the place of one of its own: what stays JSON comes further. */
export function exchanged(random: Random, good: string): Buffer {
  const values = [...good.matchAll(/(?<=[:,[])(?:-?\d[\d.e-]*|"[^"]*"|null|true|false)(?=[,\]}])/g)];
  const { index = 0, 0: old = '' } = random.of(values);
  return Buffer.from(good.slice(0, index) + value(random, 3) + good.slice(index + old.length));
}

function value(random: Random, levels: number): string {
  const many = () => Array.from({ length: random.below(5) }, () => value(random, levels - 1));
  const kinds: (() => string)[] = [
    () => random.of(WORDS.slice(0, 30)),
    () => String((random.next() - 0.5) * 10 ** random.below(310)),
    () => String(Math.round((random.next() - 0.5) * 2 ** random.below(70))),
    () =>
      JSON.stringify(
        Array.from({ length: random.below(20) }, () => String.fromCharCode(random.below(0x10000))).join(''),
      ),
    () => `"${random.of(['\\n', 'x', '\\u00e9', '\\\\', '9'])}${'\\"'.repeat(random.below(300))}"`,
  ];
  if (levels > 0)
    kinds.push(
      () => `[${many().join(',')}]`,
      () =>
        `{${many()
          .map((inner) => `"${random.of(['a', 'a', '__proto__', 'role', 'content', '1'])}":${inner}`)
          .join(',')}}`,
    );
  return random.of(kinds)();
}

/** Bodies that are hard to read, of about so many bytes. */
export function costly(random: Random, bytes: number): Buffer {
  const times = (part: string) => part.repeat(Math.max(1, Math.floor(bytes / part.length)));
  let n = 0;
  const each = (part: () => string) => {
    const parts: string[] = [];
    for (let length = 0; length < bytes; length += (parts.at(-1) as string).length) parts.push(part());
    return parts.join('');
  };
  const shapes: (() => string)[] = [
    () => times('['),
    () => times('{"a":'),
    () => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
    () => `[${times(`${'['.repeat(90)}${']'.repeat(90)},`)}1]`,
    () => `"${times('\\"')}`,
    () => `"${times('\\u00e9\\n')}"`,
    () => `[${times(random.of(['[],', '{},', '"",', '1,', '{"a":1},', '-0.12345678901234567,']))}1]`,
    () => `{${each(() => `"k${(n++).toString(36)}":1,`)}"k":1}`,
    () => `{${times('"a":1,')}"a":2}`,
    () => `{${each(() => `"${(n++ * 7_919) % 4_294_967_291}":1,`)}"k":1}`,
    () => `[${each(() => `{"k${(n++).toString(36)}":1},`)}1]`,
    () => times('9'),
    () => `0.${times('3')}e-300`,
    () => `[${times('"NaN",')}NaN]`,
    () => `{"tokens":[[${times('1,')}1]],"masks":[[1]],"scores":[1]}`,
    () => `{"tokens":[[${times('"1",')}1]],"masks":[[1]],"scores":[1]}`,
    () => `{"tokens":[${times('[1],')}[1]],"masks":[${times('[1],')}[1]],"scores":[${times('1,')}1]}`,
    () => `{"tokens":[["${times(' ')}"]],"masks":[[1]],"scores":[1]}`,
    () => `{"group_size":"${times('1')}"}`,
    () => `{"id":"${times('a.')}"}`,
    () => `{"env_id":"${times(' 1')}"}`,
  ];
  return Buffer.from(random.of(shapes)());
}

/** Whole, cut off, damaged, twice, or far larger when it is unpacked. */
export function packed(random: Random, body: Buffer): Buffer {
  const good = gzipSync(body, { level: 1 });
  const at = random.below(good.length);
  return random.of<() => Buffer>([
    () => good,
    () => good.subarray(0, at),
    () => Buffer.concat([good, good.subarray(0, at)]),
    () => Buffer.concat([good.subarray(0, at), Buffer.from([random.below(256)]), good.subarray(at + 1)]),
    () => gzipSync(good),
    () => Buffer.concat(Array.from({ length: 20 }, () => BOMB)),
    () => Buffer.alloc(40_000, gzipSync('')),
  ])();
}

const BOMB = gzipSync(Buffer.alloc(5_000_000, '[],'));
