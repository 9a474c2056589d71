import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Line, readLines } from '../../../src/trajectories/files/read-lines.js';
import { folder } from '../support/folder.js';

async function lines(content: string | Buffer, options = {}, name = 'rows.jsonl'): Promise<Line[]> {
  const path = join(folder(), name);
  writeFileSync(path, content);
  const found: Line[] = [];
  for await (const line of readLines(path, options)) found.push(line);
  return found;
}

describe('lines of a file', () => {
  it('leaves out a byte order mark, carriage returns and blank lines, and counts as an editor does', async () => {
    expect(await lines('\ufeff{"a":1}\r\n\r\n   \n{"b":2}')).toEqual([
      { number: 1, text: '{"a":1}' },
      { number: 4, text: '{"b":2}' },
    ]);
  });

  it('keeps characters whole that lie across the pieces in which the file is read', async () => {
    const text = `x${'🙂'.repeat(200_000)}`;
    expect(await lines(`${text}\n${text}\n`)).toEqual([
      { number: 1, text },
      { number: 2, text },
    ]);
  });

  it('keeps other line separators of Unicode inside a line', async () => {
    expect(await lines('a\u2028b\u0085c\n')).toEqual([{ number: 1, text: 'a\u2028b\u0085c' }]);
  });

  it('answers a line over the limit as broken, with its start, and goes on', async () => {
    const found = await lines(`ok\n${'y'.repeat(600_000)}\nlast`, { maxLineBytes: 100_000 });
    expect(found.map((line) => ('broken' in line ? line.broken : line.text))).toEqual([
      'ok',
      'the line has 600000 bytes, at most 100000 can be read',
      'last',
    ]);
    expect((found[1] as { raw: string }).raw).toMatch(/^y{65536}$/);
  });

  it('answers bytes that are no UTF-8 as a broken line', async () => {
    const found = await lines(Buffer.from([0x61, 0xff, 0x0a, 0x62]));
    expect(found).toEqual([
      { number: 1, broken: 'the line is not UTF-8', raw: 'a\ufffd' },
      { number: 2, text: 'b' },
    ]);
  });

  it('unpacks .gz on the way, also when several were joined', async () => {
    const joined = Buffer.concat([gzipSync('one\ntw'), gzipSync('o\n')]);
    expect(await lines(joined, {}, 'rows.jsonl.gz')).toEqual([
      { number: 1, text: 'one' },
      { number: 2, text: 'two' },
    ]);
  });
});
