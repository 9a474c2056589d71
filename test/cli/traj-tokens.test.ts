import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LedgerEntry, Policy, PolicyServer } from '../../src/model/policy-server/index.js';
import { startPolicyServer } from '../support/policy-server.js';
import { longrun } from './support/longrun.js';
import { writeTask } from './support/tasks.js';

const SEED = 100;
const TOKENIZER = fileURLToPath(new URL('../fixtures/chat-tokenizer', import.meta.url));

/** Samples 0 and 2 solve it; sample 2 spells its first answer as it likes, so that its second prompt is another one. */
const policy: Policy = ({ seed, turn, task }) => {
  const sample = seed - SEED;
  if (turn > 0) return { content: 'Done.' };
  const word = task.includes('pear') ? 'pear' : 'apple';
  const command = sample === 1 ? 'ls' : `echo ${word} > /app/answer`;
  const toolCalls = [{ name: 'terminal', arguments: { command } }];
  return { toolCalls, ...(sample === 2 ? { usualBias: 0 } : {}) };
};

const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe('a run that was told what was sampled, and one that was not', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let server: PolicyServer;
  /** Of the run that was told, by sample and turn. */
  let sampled: LedgerEntry[];
  const run = async (runId: string, task: string, ...argv: string[]) => {
    const what = [join(folder, 'tasks'), '--task', task, '--samples', '3', '--sandbox', 'memory'];
    const model = [
      '--model',
      'demo',
      '--base-url',
      server.baseUrl,
      '--run-id',
      runId,
      '--seed',
      String(SEED),
    ];
    expect(await longrun(['evaluate', ...what, ...model, ...argv], env)).toMatchObject({ code: 0 });
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longrun-tokens-'));
    env = { LONGRUN_HOME: join(folder, 'state') };
    for (const task of ['apple', 'pear']) writeTask(join(folder, 'tasks'), task);
    server = await startPolicyServer({ policy, usualBias: 30 });
    await run('sampled', 'apple', '--token-api', 'chat', '--temperature', '0.5');
    sampled = server.ledger.entries.toSorted((a, b) => a.seed - b.seed || a.turn - b.turn);
    await run('untold', 'pear');
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const exportAs = async (format: string, ...argv: string[]) => {
    const path = join(folder, `${format}.jsonl`);
    const command = ['traj', 'export', 'sampled', 'untold', '--format', format, '--output', path];
    const answer = await longrun([...command, '--force', '--json', ...argv], env);
    expect(answer).toMatchObject({ code: 0 });
    return { path, document: answer.json() };
  };

  it('becomes datums of the one, whose trained stretches are exactly what was sampled', async () => {
    const { path } = await exportAs('tinker');
    const datums = linesOf(path);
    expect(datums).toHaveLength(4);
    const trained = datums.flatMap(({ model_input, loss_fn_inputs: inputs }) => {
      const ids = [...model_input.chunks[0].tokens, inputs.target_tokens.data.at(-1)];
      const positions = inputs.advantages.data.flatMap((a: number, i: number) => (a === 0 ? [] : [i]));
      return {
        ids: positions.map((i: number) => ids[i + 1]),
        lp: positions.map((i: number) => inputs.logprobs.data[i]),
      };
    });
    const bySample = [0, 1, 2].map((sample) => sampled.filter(({ seed }) => seed === SEED + sample));
    const stretches = [bySample[0], bySample[1], bySample[2]?.slice(0, 1), bySample[2]?.slice(1)];
    expect(trained).toEqual(
      stretches.map((calls) => ({
        ids: calls?.flatMap(({ tokenIds }) => tokenIds),
        lp: calls?.flatMap(({ logprobs }) => logprobs),
      })),
    );
  });

  it('stands beside them call by call, with the whole prompt of each', async () => {
    const { path } = await exportAs('tinker');
    const trajectories = linesOf(path.replace('.jsonl', '.traj.jsonl'));
    const transitions = trajectories.flatMap((trajectory) => trajectory.transitions);
    expect(transitions.map(({ ob, ac, logprobs }) => ({ ob, ac, logprobs }))).toEqual(
      sampled.map(({ promptTokenIds, tokenIds, logprobs }) => ({
        ob: promptTokenIds,
        ac: tokenIds,
        logprobs,
      })),
    );
    expect(trajectories.map(({ reward }) => reward)).toEqual([1, 0, 1]);
  });

  it('becomes one group for Atropos, with a sequence for each prompt that was rewritten', async () => {
    const [group, ...others] = linesOf((await exportAs('atropos-group')).path);
    expect(others).toEqual([]);
    expect(group).toMatchObject({
      scores: [1, 0, 1, 1],
      generation_params: { temperature: 0.5 },
      group_overrides: { group_id: 'sampled/apple', group_size: 4, rollouts: 3 },
    });
    const trained = group.masks.flatMap((labels: number[]) => labels.filter((label) => label !== -100));
    expect(trained).toEqual(sampled.flatMap(({ tokenIds }) => tokenIds));
  });

  it('names what it refuses to make up', async () => {
    const { document } = await exportAs('tinker');
    expect(document).toMatchObject({ refused: { no_sampled_ids: 3 } });
    expect(JSON.stringify(document)).toContain('untold__pear__0: turn 1 was recorded without token ids');
  });

  it('is tokenized where it has no ids when asked to, and those rows say so', async () => {
    const { path } = await exportAs('tinker', '--tokenize', TOKENIZER);
    const datums = linesOf(path);
    expect(datums.map(({ loss_fn_inputs: inputs }) => Object.keys(inputs))).toEqual(
      Array(7).fill(['target_tokens', 'weights']),
    );
    const metas = linesOf(path.replace('.jsonl', '.meta.jsonl'));
    const marked = metas.map(({ group_id, tokenized_by: by }) => [group_id, by?.split('@')[0] ?? null]);
    expect(marked).toEqual([
      ...Array(4).fill(['sampled/apple', null]),
      ...Array(3).fill(['untold/pear', 'chat-tokenizer']),
    ]);
  });

  it('is not exported with a folder that holds no tokenizer, which is named', async () => {
    const path = join(folder, 'no.jsonl');
    const command = [
      'traj',
      'export',
      'sampled',
      '--format',
      'tinker',
      '--output',
      path,
      '--tokenize',
      folder,
    ];
    const { code, stderr } = await longrun(command, env);
    expect(code).toBe(2);
    expect(stderr).toContain(join(folder, 'tokenizer.json'));
    expect(existsSync(path)).toBe(false);
  });

  it('becomes Parquet as it becomes lines', async () => {
    const path = join(folder, 'groups.parquet');
    const command = ['traj', 'export', 'sampled', '--format', 'parquet', '--rows', 'atropos-group'];
    expect(await longrun([...command, '--output', path], env)).toMatchObject({ code: 0 });
    expect(readFileSync(path).subarray(0, 4).toString()).toBe('PAR1');
  });
});
