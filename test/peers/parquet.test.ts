import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Episode } from '../../src/core/trajectory/episode.schema.js';
import type { ExportFormat } from '../../src/formats/export-format.js';
import { Float } from '../../src/formats/python-json.js';
import { exportEpisodes } from '../../src/trajectories/export.js';
import { openOutput } from '../../src/trajectories/files/output.js';
import { ROW_FORMATS } from '../../src/trajectories/row-formats.js';
import { RESPELLED, sampledEpisode, TWO_TURNS } from '../formats/tokens/sampled-episode.js';
import { assistant, episode, reward, timeStep, tool, user } from '../trajectories/support/episodes.js';
import { folder } from '../trajectories/support/folder.js';
import { runPeer } from './support/python.js';

/** Groups with ids, and rollouts of other shapes: no tools, a tool seen late, no reward, no turns, odd characters. */
const EPISODES: Episode[] = [
  sampledEpisode(0, 1),
  sampledEpisode(1, 0, RESPELLED),
  episode('plain', [timeStep([user('ünïcode \u2028 🎉\t"quoted"'), assistant('Yes.', [], 'I think.')])]),
  episode(
    'late-tool',
    [
      timeStep(
        [user('Write.'), assistant('', [{ id: 'c', name: 'write_file', arguments: '{"path":"a","n":1.0}' }])],
        [tool('write_file')],
      ),
    ],
    { rewards: [reward(0.5)], metadata: { tags: ['x'], deep: { number: 1 } } },
  ),
  episode('unscored', [timeStep([user(''), assistant('')])], { rewards: [], model: null }),
  ...[1, 2].map((sample) => ({ ...sampledEpisode(sample + 8, sample, TWO_TURNS), groupId: 'run/other' })),
];

const inputs = {
  async *read() {
    yield* EPISODES;
  },
};

async function exported(format: ExportFormat): Promise<{ parquet: string; lines: string }> {
  const into = folder();
  const [parquet, lines] = [join(into, 'rows.parquet'), join(into, 'rows.jsonl')];
  for (const path of [parquet, lines]) {
    const output = await openOutput(path, { force: true, parquet: true });
    await exportEpisodes(inputs, format, output, { format: { merged: true } });
    await output.commit();
  }
  return { parquet, lines };
}

async function rowsOf(values: readonly unknown[]): Promise<{ parquet: string; lines: string }> {
  const into = folder();
  const [parquet, lines] = [join(into, 'rows.parquet'), join(into, 'rows.jsonl')];
  for (const path of [parquet, lines]) {
    const output = await openOutput(path, { force: false, parquet: true });
    for (const value of values) await output.beside(null).row(value);
    await output.commit();
  }
  return { parquet, lines };
}

const check = (...files: { parquet: string; lines: string }[]) =>
  runPeer(
    'load_parquet.py',
    files.flatMap(({ parquet, lines }) => [parquet, lines]),
  );

test('datasets gives back the rows of every format from Parquet', async () => {
  const formats = ROW_FORMATS.filter(({ layout }) => layout === 'lines');
  const files = await Promise.all(formats.map(exported));
  const { exitCode, stdout, stderr } = await check(...files);
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
  const rows = JSON.parse(stdout).map(({ rows }: { rows: number }) => rows);
  expect(rows).toHaveLength(formats.length);
  expect(rows).not.toContain(0);
});

/** All that JSON lines cannot give `datasets`: keys, types and nulls that change from row to row. */
const AWKWARD = [
  { a: 1, b: null, c: [], d: { x: null }, e: {}, metadata: { k: 1 }, mixed: 1, late: null },
  { a: 2, b: new Float(1), c: ['s', null, ''], d: { x: [[1], [], null] }, e: {}, mixed: 'two' },
  {
    a: null,
    b: new Float(0.5),
    c: null,
    d: null,
    e: null,
    metadata: { j: [1] },
    mixed: { o: [] },
    new: true,
  },
  { a: -3, late: [{ p: new Float(3), q: [{ arguments: { z: '\u0000"' } }] }, null, { q: [] }] },
];

test('datasets gives back rows whose keys and types change, from many row groups', async () => {
  const padding = 'x'.repeat(200_000);
  const rows = Array.from({ length: 60 }, (_, i) => ({ ...AWKWARD[i % AWKWARD.length], padding, i }));
  const { exitCode, stdout, stderr } = await check(await rowsOf(rows));
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual([
    { rows: 60, json: ['e', 'late[].q[].arguments', 'metadata', 'mixed'] },
  ]);
});

test('a torn file, and a value that is another one, are refused', async () => {
  const files = await rowsOf(AWKWARD);
  writeFileSync(files.lines, readFileSync(files.lines, 'utf8').replace('"a": -3', '"a": -4'));
  expect(await check(files)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('row 4') });
  truncateSync(files.parquet, 200);
  expect(await check(files)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('ArrowInvalid') });
});
