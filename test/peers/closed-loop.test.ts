import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installedPython } from '../../scripts/setup/peers-folder.mjs';
import { stopServer } from '../../src/temporal/embedded-server.js';

const RUN = fileURLToPath(new URL('../../examples/closed-loop/run.mjs', import.meta.url));
const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const SEED = process.env.CLOSED_LOOP_SEED ?? '0';
/** Of 16 sequences each: two groups, where each rollout is one sequence. */
const STEPS = 16;
/** By then the loop that works is far above chance, one in six. */
const ENOUGH_STEPS = 10;
const LIMIT_MS = 900_000;

interface Step {
  step: number;
  success: number;
  rollouts: number;
  lag: number;
  largest_change: number;
  ledger: { sampled: number; trained: number; mismatches: number };
}

interface Loop {
  process: ChildProcess;
  output: string;
  /** What each step of the trainer said of itself. */
  steps: Promise<Step[]>;
}

/** Nothing of the developer's own settings or cluster. */
const ownEnv = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(LONGRUN_|TEMPORAL_)/.test(name)));

let folder: string;
const loops: Loop[] = [];

/** The example, as its README says, in processes of its own. */
function startLoop(name: string, steps: number, ...options: string[]): Loop {
  const output = join(folder, name);
  const argv = ['--steps', `${steps}`, '--seed', SEED, '--sandbox', 'bubblewrap', '--output', output];
  const child = spawn(process.execPath, [RUN, ...argv, ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...ownEnv(), PYTHON: installedPython() ?? '', NODE_OPTIONS: '--import tsx', LONGRUN: MAIN },
  });
  let said = '';
  child.stderr.on('data', (data) => {
    said += data;
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const read = async () => {
    const code = await ended;
    if (code !== 0) throw new Error(`the loop ${name} ended with ${code}: ${said}`);
    const lines = (await readFile(join(output, 'steps.jsonl'), 'utf8')).trim().split('\n');
    return lines.map((line): Step => JSON.parse(line));
  };
  const loop = { process: child, output, steps: read() };
  // Awaited in the tests, maybe after it has failed.
  loop.steps.catch(() => undefined);
  loops.push(loop);
  return loop;
}

const successOf = (steps: readonly Step[]): number =>
  steps.reduce((sum, { success }) => sum + success, 0) / steps.length;

/** Success in the last four steps before and including this one: 64 rollouts. */
const successBy = (steps: readonly Step[], last: number): number =>
  successOf(steps.filter(({ step }) => step <= last && step > last - 4));

describe(`a policy, rollouts in sandboxes and a trainer, in a loop (seed ${SEED})`, () => {
  let learns: Loop;
  let shifted: Loop;
  let negated: Loop;

  // At the same time: alone, each of them waits for its own slowest rollout again and again.
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longrun-closed-loop-'));
    learns = startLoop('learns', STEPS);
    shifted = startLoop('shifted', ENOUGH_STEPS, '--break', 'masks');
    negated = startLoop('negated', ENOUGH_STEPS, '--break', 'sign');
  });
  afterAll(async () => {
    for (const { process: child, steps } of loops) {
      child.kill('SIGTERM');
      await steps.catch(() => undefined);
    }
    for (const { output } of loops) await stopServer(join(output, 'state'));
    await rm(folder, { recursive: true });
  }, LIMIT_MS);

  test('the policy rises from chance to more than 90 %', { timeout: LIMIT_MS }, async () => {
    const steps = await learns.steps;
    expect(steps.map(({ step }) => step)).toEqual(Array.from({ length: STEPS }, (_, i) => i + 1));
    expect(successOf(steps.slice(0, 2))).toBeLessThan(0.4);
    expect(successBy(steps, STEPS)).toBeGreaterThan(0.9);
    expect(await readFile(join(learns.output, 'success.svg'), 'utf8')).toContain('<polyline');
  });

  test('every stretch that is trained was sampled, with exactly these ids and log-probabilities', async () => {
    const steps = await learns.steps;
    const { ledger } = steps.at(-1) as Step;
    expect(ledger.mismatches).toBe(0);
    // Most rollouts have two turns; a group whose prompts do not extend each other fills a batch by itself.
    const rollouts = steps.reduce((sum, step) => sum + step.rollouts, 0);
    expect(rollouts).toBeGreaterThan((16 * STEPS) / 2);
    expect(ledger.trained).toBeGreaterThan(1.5 * rollouts);
    const current = steps.filter(({ lag }) => lag === 0);
    expect(current.length).toBeGreaterThan(0);
    for (const { largest_change: change } of current) expect(change).toBeLessThan(1e-9);
  });

  test('masks that are off by one are noticed, and teach nothing', { timeout: LIMIT_MS }, async () => {
    const steps = await shifted.steps;
    const { ledger } = steps.at(-1) as Step;
    expect(ledger.mismatches).toBe(ledger.trained);
    expect(successBy(steps, ENOUGH_STEPS)).toBeLessThan(0.4);
    expect(successBy(await learns.steps, ENOUGH_STEPS)).toBeGreaterThan(0.6);
  });

  test('negated advantages teach nothing', { timeout: LIMIT_MS }, async () => {
    const steps = await negated.steps;
    expect((steps.at(-1) as Step).ledger.mismatches).toBe(0);
    expect(successBy(steps, ENOUGH_STEPS)).toBeLessThan(0.3);
  });
});
