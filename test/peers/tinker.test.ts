import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Episode } from '../../src/core/trajectory/episode.schema.js';
import { tinkerFormat } from '../../src/formats/tinker/tinker.js';
import { exportEpisodes } from '../../src/trajectories/export.js';
import { openOutput } from '../../src/trajectories/files/output.js';
import { RESPELLED, type Sampled, sampledEpisode, TWO_TURNS } from '../formats/tokens/sampled-episode.js';
import { folder } from '../trajectories/support/folder.js';
import { runPeer } from './support/python.js';

const named = (turns: readonly Sampled[]): Sampled[] =>
  turns.map((turn, i) => ({ ...turn, sequenceId: `session/${i}` }));

/** Several groups: extended prompts, rewritten ones, with and without names of sequences, a member without ids. */
const EPISODES: Episode[] = [
  sampledEpisode(0, 1, named(TWO_TURNS)),
  sampledEpisode(1, 0, named(RESPELLED)),
  sampledEpisode(2, 0.25, [{ prompt: null, sampled: null }]),
  ...[sampledEpisode(3, -1, TWO_TURNS), sampledEpisode(4, 2, RESPELLED)].map((episode) => ({
    ...episode,
    groupId: 'run/other',
  })),
];

async function exported(
  options: Record<string, boolean> = {},
): Promise<{ datums: string; trajectories: string }> {
  const path = join(folder(), 'batch.jsonl');
  const output = await openOutput(path, { force: false });
  const inputs = {
    async *read() {
      yield* EPISODES;
    },
  };
  await exportEpisodes(inputs, tinkerFormat, output, { format: options });
  await output.commit();
  return { datums: path, trajectories: output.pathOf('.traj.jsonl') };
}

const check = ({ datums, trajectories }: { datums: string; trajectories: string }, loss: string) =>
  runPeer('check_tinker.py', [datums, trajectories, loss]);

test("Tinker's SDK takes every datum, and each is what its trajectory says", async () => {
  const { exitCode, stdout, stderr } = await check(await exported(), 'importance_sampling');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ datums: 6, with_provenance: 3 });
});

test("Tinker's SDK takes supervised datums too", async () => {
  const { exitCode, stdout, stderr } = await check(
    await exported({ withoutLogprobs: true }),
    'cross_entropy',
  );
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ datums: 6 });
});

test.each([
  ['a key that is none of its own', '"model_input":', '"group_id": "g", "model_input":', 'Extra inputs'],
  ['a mask shifted by one', '[0.0, 0.0, -0.3, -0.1', '[0.0, -0.3, -0.1, 0.0', 'Not equal to tolerance'],
  ['a token too few', '"tokens": [10, 11, 12', '"tokens": [10, 11', 'target_tokens has the shape'],
  ['a NaN among the advantages', '"advantages": {"data": [0.0', '"advantages": {"data": [NaN', 'not finite'],
  ['spans that do not tile', '"offset": 0, "length": 3', '"offset": 0, "length": 4', 'must tile it exactly'],
])('a datum with %s is refused', async (_, written, broken, reason) => {
  const files = await exported();
  const text = readFileSync(files.datums, 'utf8');
  expect(text).toContain(written);
  writeFileSync(files.datums, text.replace(written, broken));
  const { exitCode, stderr } = await check(files, 'importance_sampling');
  expect(exitCode).toBe(1);
  expect(stderr).toContain(reason);
});
