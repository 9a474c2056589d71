import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tbliteScripts } from '../../environments/tblite/scripts/index.js';
import { BubblewrapDriver } from '../../src/sandbox/bubblewrap/index.js';
import { nop, oracle, TbliteBench } from './tblite-bench.js';
import { playing } from './tblite-player.js';

let bench: TbliteBench;
beforeAll(async () => {
  bench = await TbliteBench.open(new BubblewrapDriver());
});
afterAll(() => bench.close());

describe.concurrent('tblite without a container engine', () => {
  test.for(tbliteScripts)('oracle, nop and scripted model score as in Docker: $recognise', async (script) => {
    const taskId = bench.recognised(script.recognise);
    const solved = await bench.score(taskId, oracle);
    expect(solved.reward, solved.testOutput).toBe(1);
    const untouched = await bench.score(taskId, nop);
    expect(untouched.reward, untouched.testOutput).toBe(0);
    const transcript: string[] = [];
    const played = await bench.score(taskId, playing(script.variants.solves, transcript));
    expect(played.reward, `${transcript.join('\n')}\n${played.testOutput}`).toBe(1);
  });
});
