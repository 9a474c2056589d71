import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Episode } from '../../src/core/trajectory/episode.schema.js';
import type { ExportFormat } from '../../src/formats/export-format.js';
import { type ExportOptions, exportEpisodes } from '../../src/trajectories/export.js';
import { openOutput } from '../../src/trajectories/files/output.js';
import { rowFormat } from '../../src/trajectories/row-formats.js';
import { assistant, episode, reward, timeStep, tool, user } from './support/episodes.js';
import { folder } from './support/folder.js';

function plain(sessionId: string, facts: Partial<Episode> = {}, tools = ['terminal']): Episode {
  const offered = tools.map((name) => tool(name));
  return episode(sessionId, [timeStep([user(sessionId), assistant('ok')], offered)], facts);
}

/** Exports to a folder; answers the counts, and rows by file. */
async function run(episodes: Episode[], format: ExportFormat, options: ExportOptions = {}) {
  const path = folder();
  const output = await openOutput(join(path, 'rows.jsonl'), { force: false });
  let passes = 0;
  const inputs = {
    read: async function* () {
      passes += 1;
      yield* episodes;
    },
  };
  const counts = await exportEpisodes(inputs, format, output, options);
  await output.commit();
  const files = Object.fromEntries(
    readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8').trimEnd().split('\n')]),
  );
  return { counts, files, passes };
}

const sessionsIn = (lines: string[] = []): string[] =>
  lines.map((line) => JSON.parse(line).metadata.session_id);

describe('an export', () => {
  it('begins each file with the rows that tell the types of its columns', async () => {
    const failed = { ...plain('x').outcome, completed: false };
    const episodes = [
      plain('unscored', { rewards: [] }),
      plain('failed-unscored', { rewards: [], outcome: failed }),
      plain('scored'),
      plain('failed-scored', { outcome: failed }),
      plain('noted', { rewards: [], metadata: { note: 'x' } }),
      plain('last'),
    ];
    const { files } = await run(episodes, rowFormat('sharegpt'));
    expect(sessionsIn(files['rows.jsonl'])).toEqual(['scored', 'noted', 'unscored', 'last']);
    expect(sessionsIn(files['failed_trajectories.jsonl'])).toEqual(['failed-scored', 'failed-unscored']);
  });

  it('takes the types from rows that are written', async () => {
    const died = episode('died', [], { metadata: { note: 'x', more: 1 } });
    const { files } = await run([plain('a', { rewards: [] }), died, plain('b')], rowFormat('sharegpt'));
    expect(sessionsIn(files['rows.jsonl'])).toEqual(['b', 'a']);
  });

  it('keeps the order of the input where the first row tells them all', async () => {
    const episodes = [plain('a'), plain('b', { rewards: [] }), plain('c')];
    const { files, passes } = await run(episodes, rowFormat('sharegpt'));
    expect(sessionsIn(files['rows.jsonl'])).toEqual(['a', 'b', 'c']);
    expect(passes).toBe(2);
  });

  it('reads the input once where rows do not depend on each other', async () => {
    expect(await run([plain('a')], rowFormat('longrun'))).toMatchObject({
      passes: 1,
      counts: { written: 1 },
    });
  });

  it('pads the maps of every row with the tools of all', async () => {
    const episodes = [plain('a', {}, ['terminal']), plain('b', {}, ['browser'])];
    const { files } = await run(episodes, rowFormat('sharegpt'), { format: { variant: 'batch' } });
    for (const line of files['rows.jsonl'] ?? [])
      expect(Object.keys(JSON.parse(line).tool_stats)).toEqual(['browser', 'terminal']);
  });

  it('gives a format that wants groups whole ones, by sample, however they are mixed', async () => {
    const member = (taskId: string, sample: number): Episode =>
      plain(`${taskId}-${sample}`, {
        groupId: taskId,
        rollout: { runId: 'r', taskId, sample, attempt: 1 },
      });
    const given: string[][] = [];
    const format: ExportFormat = {
      name: 'atropos-group',
      unit: 'group',
      layout: 'lines',
      rows: (episodes) => {
        given.push(episodes.map(({ sessionId }) => sessionId));
        return { rows: [], refused: [] };
      },
    };
    await run([member('a', 1), member('b', 0), plain('alone'), member('a', 0), member('b', 1)], format);
    expect(given).toEqual([['alone'], ['a-0', 'a-1'], ['b-0', 'b-1']]);
  });

  it('says how many it could not write, and why', async () => {
    const died = episode('died', []);
    const { counts } = await run([died, plain('a'), { ...died, sessionId: 'too' }], rowFormat('messages'));
    expect(counts).toMatchObject({
      episodes: 3,
      written: 1,
      refused: { no_conversation: 2 },
      reasons: { no_conversation: 'died: the rollout has no messages' },
    });
  });

  it('does not write two documents into one file', async () => {
    const { counts, files } = await run([plain('same'), plain('same')], rowFormat('atif'));
    expect(counts).toMatchObject({ written: 1, refused: { same_name: 1 } });
    expect(JSON.parse((files['same.json'] ?? []).join('\n'))).toMatchObject({ session_id: 'same' });
  });

  it('counts the reward of the source that is trusted most, or of the one that is asked for', async () => {
    const judged = plain('a', { rewards: [{ ...reward(0.2), source: 'reward_model' }, reward(1)] });
    const rewardWith = async (options: ExportOptions): Promise<number> =>
      JSON.parse((await run([judged], rowFormat('messages'), options)).files['rows.jsonl']?.[0] ?? '').reward;
    expect(await rewardWith({})).toBe(1);
    expect(await rewardWith({ rewardOrder: ['reward_model'] })).toBe(0.2);
  });
});
