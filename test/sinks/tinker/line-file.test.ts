import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LineFile } from '../../../src/sinks/tinker/line-file.js';

test('one who wakes up late and writes the first line again leaves those after it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longrun-lines-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'index.jsonl');
  const late = await LineFile.open(path);
  const next = await LineFile.open(path);
  for (const line of ['one', 'two']) await next.put(line);
  await late.put('one');
  await next.put('three');
  expect(await readFile(path, 'utf8')).toBe('one\ntwo\nthree\n');
});
