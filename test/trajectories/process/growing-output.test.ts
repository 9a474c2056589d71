import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GrowingOutput } from '../../../src/trajectories/process/growing-output.js';
import { temporaryFolder } from '../../support/state.js';

const header = { run_id: 'run', options: {} };
const nameOf = (n: number): string => `batch_${n}.jsonl`;
const open = (folder: string, files: readonly string[], force = false) =>
  GrowingOutput.open({ folder, header, files, force });

/** An entry: a line of the file that all share, and one of its own. */
const entry = (n: number) => ({
  groups: [`group-${n}`],
  lines: new Map([
    ['groups.jsonl', ['{"n":', String(n), '}\n']],
    [nameOf(n), [`{"n":${n}}\n`]],
  ]),
  documents: new Map(),
});

const ledgerOf = (folder: string): string[] =>
  readFileSync(join(folder, 'ledger.jsonl'), 'utf8').split('\n').slice(0, -1);

it('says with each entry what that one added, so that the ledger grows with what is written', async () => {
  const folder = await temporaryFolder();
  const files = ['groups.jsonl', ...Array.from({ length: 40 }, (_, n) => nameOf(n))];
  const output = await open(folder, files);
  for (let n = 0; n < 40; n++) await output.append(entry(n));
  const [, ...entries] = ledgerOf(folder).map((line) => JSON.parse(line));
  expect(entries.map(({ bytes }) => Object.keys(bytes))).toEqual(
    Array.from({ length: 40 }, (_, n) => ['groups.jsonl', nameOf(n)]),
  );
});

it('cuts every file back to what the entries say of it together', async () => {
  const folder = await temporaryFolder();
  const files = ['groups.jsonl', nameOf(0), nameOf(1), nameOf(2)];
  const output = await open(folder, files);
  await output.append(entry(0));
  await output.append(entry(1));
  for (const name of files) writeFileSync(join(folder, name), 'half', { flag: 'a' });
  const again = await open(folder, files);
  expect(again.groups).toEqual(['group-0', 'group-1']);
  await again.append(entry(2));
  expect(files.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([
    '{"n":0}\n{"n":1}\n{"n":2}\n',
    '{"n":0}\n',
    '{"n":1}\n',
    '{"n":2}\n',
  ]);
});

it('forgets every file that the ledger names when it is written anew', async () => {
  const folder = await temporaryFolder();
  const output = await open(folder, ['groups.jsonl', nameOf(0), nameOf(1)]);
  await output.append(entry(0));
  await output.append(entry(1));
  // Other options have other files.
  await open(folder, ['other.jsonl'], true);
  expect(() => readFileSync(join(folder, nameOf(0)))).toThrow('ENOENT');
});

it('goes on with a ledger of an earlier version, whose entries list all files', async () => {
  const folder = await temporaryFolder();
  const files = ['groups.jsonl', nameOf(0), nameOf(1), nameOf(2)];
  const output = await open(folder, files);
  await output.append(entry(0));
  await output.append(entry(1));
  const earlier = [
    { schema_version: 1, ...header },
    { groups: ['group-0'], bytes: { 'groups.jsonl': 8, [nameOf(0)]: 8 } },
    { groups: ['group-1'], bytes: { 'groups.jsonl': 16, [nameOf(0)]: 8, [nameOf(1)]: 8 } },
  ];
  const torn = '{"groups":["group-2"],"by';
  writeFileSync(
    join(folder, 'ledger.jsonl'),
    earlier.map((line) => `${JSON.stringify(line)}\n`).join('') + torn,
  );
  const again = await open(folder, files);
  expect(again.groups).toEqual(['group-0', 'group-1']);
  await again.append(entry(2));
  // An earlier longrun would take the files of the last entry for all there are, so it must not read this one.
  expect(JSON.parse(ledgerOf(folder)[0] as string)).toEqual({ schema_version: 2, ...header });
  const last = await open(folder, files);
  expect(last.groups).toEqual(['group-0', 'group-1', 'group-2']);
  expect(readFileSync(join(folder, nameOf(0)), 'utf8')).toBe('{"n":0}\n');
});

it('refuses the ledger of a later version by its number', async () => {
  const folder = await temporaryFolder();
  writeFileSync(join(folder, 'ledger.jsonl'), `${JSON.stringify({ schema_version: 3, ...header })}\n`);
  await expect(open(folder, [])).rejects.toThrow('schema_version 3; this longrun reads up to 2');
});
