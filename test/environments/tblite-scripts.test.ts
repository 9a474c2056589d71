import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dedupeByContent } from '../../environments/tblite/scripts/dedupe-by-content.js';
import { tbliteScripts } from '../../environments/tblite/scripts/index.js';
import { retryWithBackoff } from '../../environments/tblite/scripts/retry-with-backoff.js';
import type { TaskScript } from '../../src/model/scripted/script.js';
import { TbliteBench } from './tblite-bench.js';
import { plansOf, playing } from './tblite-player.js';

type Variant = keyof TaskScript['variants'];
const VARIANTS: Variant[] = ['solves', 'partly', 'fails'];
/** Tasks where half of the work is worth nothing. */
const ALL_OR_NOTHING = [dedupeByContent, retryWithBackoff].map((script) => script.recognise);

let bench: TbliteBench;
beforeAll(async () => {
  bench = await TbliteBench.open();
});
afterAll(() => bench.close());

test('each task is recognised by exactly one script', () => {
  const found = tbliteScripts.map((script) => bench.recognised(script.recognise));
  expect(found).toEqual(bench.taskIds);
});

describe.each(VARIANTS)('every script that %s', (variant) => {
  test.for(tbliteScripts)('takes detours before it finishes: $recognise', (script) => {
    const turns = script.variants[variant];
    const planned = plansOf(turns).flat();
    expect(turns.length).toBeGreaterThanOrEqual(4);
    expect(turns.at(-1)?.toolCalls?.map((call) => call.name)).toEqual(['finish']);
    expect(planned.filter((each) => each.kind === 'refused').length).toBeLessThanOrEqual(2);
    expect(planned.filter((each) => each.kind === 'run').length).toBeGreaterThanOrEqual(4);
  });
});

test('every script makes a call that is refused, at least in the variant that solves the task', () => {
  const refused = tbliteScripts.map((script) =>
    plansOf(script.variants.solves)
      .flat()
      .filter((each) => each.kind === 'refused'),
  );
  expect(refused.filter((each) => each.length === 0).length).toBe(0);
});

describe.concurrent('in a real container', () => {
  const scoreOf = async (script: TaskScript, variant: Variant) => {
    const transcript: string[] = [];
    const taskId = bench.recognised(script.recognise);
    const verdict = await bench.score(taskId, playing(script.variants[variant], transcript));
    return { reward: verdict.reward, story: `${transcript.join('\n')}\n${verdict.testOutput}` };
  };

  test.for(tbliteScripts)('solved: $recognise', async (script) => {
    const { reward, story } = await scoreOf(script, 'solves');
    expect(reward, story).toBe(1);
  });

  test.for(tbliteScripts)('failed: $recognise', async (script) => {
    const { reward, story } = await scoreOf(script, 'fails');
    expect(reward, story).toBe(0);
  });

  test.for(tbliteScripts)('left half done: $recognise', async (script) => {
    const { reward, story } = await scoreOf(script, 'partly');
    expect(reward, story).toBeLessThan(1);
    if (ALL_OR_NOTHING.includes(script.recognise)) expect(reward, story).toBe(0);
    else expect(reward, story).toBeGreaterThan(0);
  });
});
