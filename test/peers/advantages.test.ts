import { beforeAll, expect, test } from 'vitest';
import { type AdvantageGroup, ESTIMATORS, type EstimatorName } from '../../src/core/advantage/index.js';
import { runPeer } from './support/python.js';

const BATCHES = 1_000;
const SEED = 20_261_121;
const OPTIONS = { gamma: 0.9 };

/** mulberry32: the same batches every time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function batch(next: () => number): AdvantageGroup[] {
  const upTo = (most: number) => Math.floor(next() * (most + 1));
  const binary = next() < 0.5;
  return Array.from({ length: 2 + upTo(2) }, (_, g) => {
    const rewardedSteps = next() < 0.3;
    return {
      groupId: `g${g}`,
      members: Array.from({ length: 1 + upTo(7) }, () => ({
        reward: next() < 0.1 ? null : binary ? upTo(1) : next() * 5,
        steps: Array.from({ length: 1 + upTo(3) }, () => ({
          tokens: upTo(6),
          reward: rewardedSteps ? next() - 0.5 : null,
          anchor: next() < 0.3 ? null : `s${upTo(3)}`,
        })),
      })),
    };
  });
}

interface Checked {
  groups: AdvantageGroup[];
  options: typeof OPTIONS;
  found: Record<string, unknown>;
}
const batches: Checked[] = [];

beforeAll(() => {
  const next = random(SEED);
  for (let i = 0; i < BATCHES; i++) {
    const groups = batch(next);
    const names = Object.keys(ESTIMATORS) as EstimatorName[];
    const found = Object.fromEntries(names.map((name) => [name, ESTIMATORS[name](groups, OPTIONS)]));
    batches.push({ groups, options: OPTIONS, found });
  }
});

async function check(checked: readonly Checked[]): Promise<{ compared: number; different: unknown[] }> {
  const { exitCode, stdout, stderr } = await runPeer(
    'check_advantages.py',
    [],
    JSON.stringify({ batches: checked }),
  );
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  return JSON.parse(stdout);
}

test('numpy computes the same advantages on 1,000 random batches', async () => {
  const { compared, different } = await check(batches);
  expect(different).toEqual([]);
  expect(compared).toBeGreaterThan(100_000);
});

test('and notices a value that is not the same', async () => {
  const [first] = batches as [Checked];
  const grpo = structuredClone(first.found.grpo) as (number[] | null)[][];
  const member = grpo[0]?.find((steps) => steps !== null) as number[];
  member[0] = (member[0] as number) + 0.001;
  expect((await check([{ ...first, found: { ...first.found, grpo } }])).different).toHaveLength(1);
});
