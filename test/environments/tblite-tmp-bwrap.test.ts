import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BubblewrapDriver } from '../../src/sandbox/bubblewrap/index.js';
import { answering, nop, oracle, TbliteBench } from './tblite-bench.js';
const ids = readdirSync('environments/tblite/tasks').sort();
let bench: TbliteBench;
beforeAll(async () => { bench = await TbliteBench.open(new BubblewrapDriver()); });
afterAll(() => bench.close());
describe.concurrent('bw', () => {
  test.for(ids)('%s oracle', async (id) => { const v = await bench.score(id, oracle); expect(v.reward, JSON.stringify(v)).toBe(1); });
  test.for(ids)('%s nop', async (id) => { const v = await bench.score(id, nop); expect(v.reward, JSON.stringify(v)).toBe(0); });
  test.for(ids)('%s w1', async (id) => { const v = await bench.score(id, answering(readFileSync(`test/environments/tblite-wrong-answers/${id}/1.sh`,'utf8'))); expect(v.reward, JSON.stringify(v)).toBeLessThan(1); });
});
