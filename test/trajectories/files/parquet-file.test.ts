import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openOutput } from '../../../src/trajectories/files/output.js';
import { folder } from '../support/folder.js';

const place = () => join(folder(), 'rows.parquet');

it('a Parquet file appears whole, and nothing is left beside it', async () => {
  const path = place();
  const output = await openOutput(path, { force: false, parquet: true });
  for (let i = 0; i < 100; i++) await output.beside(null).row({ i, text: `row ${i}` });
  expect(output.linesOf(null)).toBe(100);
  await output.commit();
  const bytes = readFileSync(path);
  expect([bytes.subarray(0, 4).toString(), bytes.subarray(-4).toString()]).toEqual(['PAR1', 'PAR1']);
  expect(readdirSync(join(path, '..'))).toEqual(['rows.parquet']);
});

it('a Parquet file that was given up leaves nothing', async () => {
  const path = place();
  const output = await openOutput(path, { force: false, parquet: true });
  await output.beside(null).row({ i: 1 });
  await output.abandon();
  expect(readdirSync(join(path, '..'))).toEqual([]);
});

it('a Parquet file without a row is refused, for it would have no columns', async () => {
  const path = place();
  const output = await openOutput(path, { force: false, parquet: true });
  await expect(output.commit()).rejects.toThrow(/there is no row to write/);
  expect(readdirSync(join(path, '..'))).toEqual([]);
});

it('commands that pass trajectories on to each other do not write Parquet', async () => {
  await expect(openOutput(place(), { force: false })).rejects.toThrow(
    /accepted: a file that ends in \.jsonl/,
  );
  await expect(openOutput(`${place()}.gz`, { force: false, parquet: true })).rejects.toMatchObject({
    code: 'bad_input',
  });
});
