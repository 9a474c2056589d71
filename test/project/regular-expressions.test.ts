import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const LINTER = fileURLToPath(new URL('../../scripts/lint/regular-expressions.mjs', import.meta.url));

/** Code → what is said of it; null = nothing. */
const CASES: [title: string, code: string, said: string | null][] = [
  ['takes quadratic time', 'x = /a+$/;', "/a+$/ is not linear: 2nd degree polynomial, by 'a'.repeat("],
  ['takes exponential time', 'x = /^(a|a)*b/;', "is not linear: exponential, by 'a'"],
  ['takes cubic time for its lookahead', 'x = /X+(?!.*X)/;', 'is not linear: 3rd degree polynomial'],
  ['is slow between two bounds', 'x = /(?:a|a){1,99}b$|c+$/;', 'is not linear: exponential'],
  ['multiplies its bounds', 'x = /(?:[a-z]{1,99}){0,99}!/;', 'is not linear: exponential'],
  [
    'has three wide bounds in a row',
    String.raw`x = /\s{0,99}\s{0,99}\s{0,99}!/;`,
    'is not linear: 4th degree',
  ],
  ['is slow and given as text', "x = new RegExp('a+$', 'u');", '/a+$/u is not linear'],
  ['is slow and put together', 'const A = /a+/; x = RegExp(`b|${A.source}$`);', '/b|a+$/ is not linear'],
  ['is known only at run time', 'x = new RegExp(name);', 'only a running program knows'],
  ['is linear', 'x = /^[a-z]+$/;', null],
  ['is linear from where it starts', String.raw`x = /\s*[;,]?\s*/y;`, null],
  ['is slow everywhere but where it starts', 'x = /a+b/y;', null],
  ['has large bounds', 'x = /<([a-z]{1,200})="([^"]{0,200})">/;', null],
  ['has its reason beside it', 'x = /a+$/; // Not proved linear: a name of at most 63 characters.', null],
  ['has its reason above it', '// Not proved linear: written by us.\nx = new RegExp(name);', null],
  ['has an empty reason', '// Not proved linear:\nx = /a+$/;', 'is not linear'],
  ['has its reason further up', '// Not proved linear: short.\n\nx = /a+$/;', 'is not linear'],
];

let folder = '';
let report = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longrun-expressions-'));
  await mkdir(join(folder, 'src'));
  for (const [index, [, code]] of CASES.entries())
    await writeFile(join(folder, 'src', `case-${index}.ts`), `let x: RegExp;\n${code}\n`);
  report = await new Promise((resolve) => {
    execFile(process.execPath, [LINTER, folder], (error, stdout) => resolve(`${stdout}exit ${error?.code}`));
  });
}, 60_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

it.each(CASES.map(([title, , said], index) => ({ title, said, file: `src/case-${index}.ts` })))(
  'an expression that $title: $said',
  ({ said, file }) => {
    const line = report.split('\n').find((text) => text.startsWith(`${file}:`));
    if (said === null) expect(line).toBeUndefined();
    else expect(line).toContain(said);
  },
);

it('fails when one is left', () => {
  const refused = CASES.filter(([, , said]) => said !== null).length;
  expect(report).toContain(`${CASES.length + 1} regular expressions, ${refused} not proved linear\nexit 1`);
});
