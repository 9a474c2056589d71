import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Policy, PolicyServer } from '../../src/model/policy-server/index.js';
import { stopServer } from '../../src/temporal/embedded-server.js';
import { startPolicyServer } from '../support/policy-server.js';
import { makeFolder } from '../support/state.js';
import { rowsOf } from '../trajectories/process/folder.js';
import { longrun } from './support/longrun.js';
import { writeTask } from './support/tasks.js';

/** Right where its seed is even. */
const policy: Policy = ({ seed, turn }) => {
  const command = `echo ${seed % 2 === 0 ? 'apple' : 'plum'} > /app/answer`;
  const calls = [{ name: 'terminal', arguments: { command } }];
  return turn === 0 ? { content: 'I write it.', toolCalls: calls } : { content: 'Done.' };
};

interface ScoredRow {
  tokens: number[][];
  masks: number[][];
  scores: number[];
  inference_logprobs: number[][];
  overrides: { sample: number }[];
}
interface Datum {
  loss_fn_inputs: Record<'target_tokens' | 'advantages' | 'logprobs', { data: number[] }>;
}

describe('longrun process against an endpoint that says what it sampled', () => {
  let folder: string;
  let remove: () => Promise<void>;
  let server: PolicyServer;
  const output = (): string => join(folder, 'data');

  beforeAll(async () => {
    ({ folder, remove } = await makeFolder());
    writeTask(join(folder, 'tasks'), 'apple');
    server = await startPolicyServer({ policy, usualBias: 0, policyVersion: 'v7' });
    const argv = [
      ...['process', join(folder, 'tasks'), '--model', 'demo', '--base-url', server.baseUrl],
      ...[
        '--sandbox',
        'memory',
        '--groups',
        '2',
        '--group-size',
        '2',
        '--seed',
        '100',
        '--max-tokens',
        '2000',
      ],
      ...['--token-api', 'chat', '--format', 'atropos-group,tinker', '--output', output()],
    ];
    const env = { LONGRUN_HOME: join(folder, 'state'), OPENAI_API_KEY: 'sk-of-the-model' };
    expect(await longrun(argv, env)).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await stopServer(join(folder, 'state'));
    await server.close();
    await remove();
  });

  /** What the server says it sampled, as one string per id. */
  const sampled = () => server.ledger.entries.flatMap(({ tokenIds, logprobs }) => pairs(tokenIds, logprobs));

  it('writes groups for Atropos in which exactly what was sampled is trained', () => {
    const rows = rowsOf(output(), 'atropos-group.jsonl') as unknown as ScoredRow[];
    expect(rows).toHaveLength(2);
    const trained = rows.flatMap(({ tokens, masks, inference_logprobs: logprobs }) =>
      tokens.flatMap((ids, i) => {
        const at = ids.flatMap((_, j) => (masks[i]?.[j] === -100 ? [] : [j]));
        for (const j of at) expect(masks[i]?.[j]).toBe(ids[j]);
        return pairs(
          at.map((j) => ids[j] as number),
          at.map((j) => logprobs[i]?.[j] as number),
        );
      }),
    );
    expect(trained.toSorted()).toEqual(sampled().toSorted());
    // Each rollout counts once, whatever its sequences.
    for (const { scores, overrides } of rows)
      expect(new Map(overrides.map(({ sample }, i) => [sample % 2, scores[i]]))).toEqual(
        new Map([
          [0, 1],
          [1, 0],
        ]),
      );
  });

  it('writes datums for Tinker in which exactly that is trained, with the advantages of the group', () => {
    const datums = rowsOf(output(), 'tinker.jsonl') as unknown as Datum[];
    const trained = datums.flatMap(({ loss_fn_inputs: { target_tokens, advantages, logprobs } }) => {
      const at = advantages.data.flatMap((advantage, j) => (advantage === 0 ? [] : [j]));
      for (const j of at) expect(Math.abs(advantages.data[j] as number)).toBe(1);
      return pairs(
        at.map((j) => target_tokens.data[j] as number),
        at.map((j) => logprobs.data[j] as number),
      );
    });
    expect(trained.toSorted()).toEqual(sampled().toSorted());
  });

  it('says which policy sampled', () => {
    for (const { policy_versions: versions } of rowsOf(output(), 'groups.jsonl'))
      expect(versions).toEqual(['v7']);
    for (const { policy_versions: versions } of rowsOf(output(), 'tinker.meta.jsonl'))
      expect(versions).toEqual(['v7']);
  });
});

function pairs(ids: readonly number[], logprobs: readonly number[]): string[] {
  return ids.map((id, i) => `${id} ${logprobs[i]}`);
}
