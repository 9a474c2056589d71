import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chooseScorer } from '../../../src/trajectories/score/choose-scorer.js';
import { BUILT_IN_RUBRIC } from '../../../src/trajectories/score/rubric.js';
import { episodeOf } from '../../core/reward/episode-of.js';
import { temporaryFolder } from '../../support/state.js';
import { until } from '../../support/until.js';
import { items, outcomesOf } from './support.js';

const episodes = (n: number) =>
  items(Array.from({ length: n }, (_, i) => episodeOf([{ says: `answer ${i}` }])));

/** A program of these lines; node is what every machine of ours has. */
async function program(body: string, mode = 0o755) {
  const path = join(await temporaryFolder(), 'reward.mjs');
  const head = `#!${process.execPath}\nimport { createInterface } from 'node:readline';\nconst say = (x) => console.log(JSON.stringify(x));\n`;
  await writeFile(path, head + body);
  await chmod(path, mode);
  return path;
}

const scorerOf = (rewardModel: string, timeoutMs: number | null = null) =>
  chooseScorer({
    rewardModel,
    baseUrl: null,
    judgeKeyEnv: 'NO_SUCH_KEY',
    classifierKeyEnv: 'none',
    rubric: BUILT_IN_RUBRIC,
    prices: {},
    concurrency: 4,
    batch: 1,
    timeoutMs,
    env: process.env,
    now: Date.now,
  });

const READ_EACH =
  'for await (const line of createInterface({ input: process.stdin })) { const item = JSON.parse(line); ';

describe('a local command', () => {
  it('is started once, reads a line per episode and answers in any order', async () => {
    const path = await program(
      `const held = []; ${READ_EACH} held.push(item); } for (const { id, turns } of held.reverse()) say({ id, score: turns / 10, rationale: String(process.pid) });`,
    );
    const found = await outcomesOf(await scorerOf(path), episodes(50));
    const scores = [...found.values()].map((outcome) => ('score' in outcome ? outcome.score : null));
    expect(scores).toHaveLength(50);
    expect(new Set(scores.map((score) => score?.rationale)).size).toBe(1);
    expect(scores.every((score) => score?.score === 0.1)).toBe(true);
  });

  it('may leave out the id, and be a line with its arguments', async () => {
    const path = await program(`let n = 0; ${READ_EACH} say(n++); }`, 0o644);
    const found = await outcomesOf(await scorerOf(`${process.execPath} ${path}`), episodes(3));
    expect([...found].map(([id, outcome]) => [id, 'score' in outcome && outcome.score.score])).toEqual([
      ['item-0', 0],
      ['item-1', 1],
      ['item-2', 2],
    ]);
  });

  it('that fails in the middle keeps what it scored, and the rest fails with its words', async () => {
    const path = await program(
      `let n = 0; ${READ_EACH} if (n++ === 2) { console.error('out of memory'); process.exit(3); } say({ id: item.id, score: 1 }); }`,
    );
    const found = await outcomesOf(await scorerOf(path), episodes(40));
    expect(found.size).toBe(40);
    const errors = [...found.values()].flatMap((outcome) =>
      'error' in outcome ? [outcome.error.message] : [],
    );
    expect(errors).toHaveLength(38);
    expect(errors[0]).toMatch(/exit code 3.*out of memory/);
  });

  it('that answers nonsense for one item costs the others nothing', async () => {
    const path = await program(
      `let n = 0; ${READ_EACH} if (n++ === 1) console.log('{'); else say({ score: 0.5 }); }`,
    );
    const found = await outcomesOf(await scorerOf(path), episodes(3));
    expect(found.get('item-1')).toMatchObject({ error: { message: expect.stringContaining('not JSON') } });
    expect(found.get('item-2')).toMatchObject({ score: { score: 0.5 } });
  });

  it('that answers what nobody asked is stopped', async () => {
    const path = await program(`${READ_EACH} say({ id: 'other', score: 1 }); }`);
    await expect(outcomesOf(await scorerOf(path), episodes(2))).rejects.toThrow(/not asked for/);
  });

  it('that hangs is killed with all that it started', async () => {
    const folder = await temporaryFolder();
    const pidFile = join(folder, 'pid');
    const path = await program(
      `import { spawn } from 'node:child_process'; import { writeFileSync } from 'node:fs';
       const child = spawn('sleep', ['600']); writeFileSync(${JSON.stringify(pidFile)}, String(child.pid)); setInterval(() => {}, 1000);`,
    );
    const found = await outcomesOf(await scorerOf(path, 1_500), episodes(1));
    expect(found.get('item-0')).toMatchObject({
      error: { message: expect.stringContaining('nothing happened') },
    });
    const pid = Number(await readFile(pidFile, 'utf8'));
    await until(async () => !(await isRunning(pid)), { what: 'the child of the command has ended' });
  });
});

/** A zombie that nobody has reaped yet runs no more. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return stat !== null && !/\) Z /.test(stat);
}

describe('the name of a reward model', () => {
  it('that is a file of weights is refused with how to wrap it', async () => {
    const path = join(await temporaryFolder(), 'reward_model.ckpt');
    await writeFile(path, 'weights');
    await expect(scorerOf(path)).rejects.toMatchObject({
      message: expect.stringContaining('file of weights'),
      hint: expect.stringContaining('docs/rewards.md'),
      exitCode: 2,
    });
  });

  it('that is a file nobody may run, a folder or nothing is refused by its path', async () => {
    const path = await program('', 0o644);
    await expect(scorerOf(path)).rejects.toMatchObject({ hint: expect.stringContaining('chmod +x') });
    await expect(scorerOf(`${path}.gone`)).rejects.toThrow(/there is no file/);
    await expect(scorerOf(await temporaryFolder())).rejects.toThrow(/is a folder/);
    await expect(scorerOf('~/no-such-model.ckpt')).rejects.toThrow(/there is no file/);
  });

  it('that is a scripted one is refused: it plays agents', async () => {
    await expect(scorerOf('scripted/demo')).rejects.toThrow(/judges nothing/);
  });

  it('with a slash is still a model’s where no such file is, and needs a key', async () => {
    await expect(scorerOf('meta-llama/Llama-3.3-70B')).rejects.toMatchObject({ code: 'model_key_missing' });
  });
});
