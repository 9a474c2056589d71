import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LongrunError } from '../../../src/core/errors.js';
import type { Episode } from '../../../src/core/trajectory/episode.schema.js';
import type { TrajectoryMessage } from '../../../src/core/trajectory/trajectory.schema.js';
import { estimateTokens } from '../../../src/model/index.js';
import {
  type CompressOptions,
  compressEpisode,
} from '../../../src/trajectories/compress/compress-episode.js';
import { episodeTokens } from '../../../src/trajectories/compress/count-tokens.js';
import { extractiveSummariser } from '../../../src/trajectories/compress/extractive.js';
import { keyTurns } from '../../../src/trajectories/compress/key-turns.js';
import { turnsOf } from '../../../src/trajectories/compress/turns.js';
import { episodeDigest } from '../../../src/trajectories/digest.js';
import { assistant, episode, result, reward, timeStep, tool, user } from '../support/episodes.js';

const count = estimateTokens;
const options = (targetTokens: number): CompressOptions => ({
  ...{ targetTokens, summaryTokens: 200, count, summariser: extractiveSummariser(count) },
});
const messages = ({ trajectory }: Episode): TrajectoryMessage[] =>
  trajectory.timesteps.flatMap(({ chats }) => chats.flatMap((chat) => chat.messages));

const COMMANDS = ['ls -la', 'cat main.py', 'echo x > main.py', 'pytest -q', 'python main.py', 'grep -r x .'];

/** Turns with one to three calls, instructions of later steps in between, results of any length. */
const episodes = fc
  .array(
    fc.record({
      commands: fc.array(fc.constantFrom(...COMMANDS), { maxLength: 3 }),
      output: fc.string({ unit: 'grapheme', maxLength: 60 }),
      times: fc.integer({ min: 1, max: 40 }),
      fails: fc.boolean(),
      instruction: fc.option(fc.string({ maxLength: 40 }), { freq: 8 }),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((turns) => episode('long', turns.map(stepOf)));

function stepOf(
  turn: { commands: string[]; output: string; times: number; fails: boolean; instruction: string | null },
  index: number,
) {
  const calls = turn.commands.map((command, i) => ({
    ...{ id: `call_${index}_${i}`, name: 'terminal', arguments: JSON.stringify({ command }) },
  }));
  const output = (turn.fails ? 'Error: ' : '') + turn.output.repeat(turn.times);
  const results = calls.map(({ id }) => result(id, 'terminal', output));
  const system: TrajectoryMessage = { role: 'system', content: 'You are an agent.', label: 'system' };
  const opening = index === 0 ? [system, user('Make the tests pass')] : [];
  const asked = turn.instruction === null ? [] : [user(turn.instruction)];
  return timeStep(
    [...opening, ...asked, assistant(`Step ${index}`, calls, 'Let me look.'), ...results],
    index === 0 ? [tool('terminal')] : null,
  );
}

describe('compressing an episode', () => {
  it('keeps every rule, whatever the conversation', async () => {
    await fc.assert(
      fc.asyncProperty(episodes, fc.integer({ min: 50, max: 4_000 }), async (original, target) => {
        const before = structuredClone(original);
        const { episode: row, state } = await compressEpisode(original, options(target));
        expect(original).toEqual(before);
        const tokens = episodeTokens(row, count);
        expect(tokens <= target || row.compressed?.stillOverLimit === true).toBe(true);
        if (state !== 'compressed') {
          expect({ ...row, compressed: null }).toEqual(before);
          return;
        }
        expect(tokens).toBeLessThan(episodeTokens(original, count));
        expectWhole(row);
        expectKept(original, row);
      }),
      { numRuns: 150 },
    );
  });

  it('leaves a row that fits alone, ids and all', async () => {
    const row = long(3);
    const answer = await compressEpisode(row, options(1_000_000));
    expect(answer).toEqual({ episode: row, state: 'unchanged' });
  });

  it('carries rewards, outcome and metadata over, drops ids and names the original', async () => {
    const original = long(30, { rewards: [reward(0.7)], metadata: { task_id: 'a' } });
    const { episode: row } = await compressEpisode(original, options(1_500));
    expect(row.rewards).toEqual(original.rewards);
    expect(row.metadata).toEqual(original.metadata);
    expect(row.outcome).toEqual(original.outcome);
    expect(row.trajectory.timesteps.at(-1)).toEqual(original.trajectory.timesteps.at(-1));
    expect(
      row.turns.every(
        ({ promptTokenIds, completionTokenIds, logprobs }) =>
          !promptTokenIds && !completionTokenIds && !logprobs,
      ),
    ).toBe(true);
    expect(row.turns).toHaveLength(row.trajectory.timesteps.length);
    expect(row.compressed).toMatchObject({
      summary: 'extractive',
      stillOverLimit: false,
      failed: null,
      originalTurns: 30,
      original: { digest: episodeDigest(original), sessionId: 'long' },
    });
  });

  it('says which turns the summary stands for, and writes it as one message of the user', async () => {
    const { episode: row } = await compressEpisode(long(30), options(1_500));
    const summaries = messages(row).filter(({ label }) => label === 'summary');
    expect(summaries).toHaveLength(1);
    const removed = 30 - row.trajectory.timesteps.length;
    expect(summaries[0]?.content).toMatch(
      new RegExp(`^\\[Summary of ${removed} steps that are left out here\\]\n`),
    );
    expect(summaries[0]?.content).toContain('terminal ls src/1');
    expect(row.compressed?.summarisedTurns?.[0]).toBe(1);
  });

  it('offers the tools where they were offered in a turn that went', async () => {
    const original = long(30);
    const steps = original.trajectory.timesteps.map((step, i) =>
      i === 1 ? { ...step, availableToolSchemas: [tool('late')] } : step,
    );
    const { episode: row } = await compressEpisode(
      { ...original, trajectory: { ...original.trajectory, timesteps: steps } },
      options(1_500),
    );
    expect(row.trajectory.timesteps[1]?.availableToolSchemas).toEqual([tool('late')]);
  });

  it('leaves the row as it was where the summary fails, and says why', async () => {
    const original = long(30);
    const summariser = {
      kind: 'model' as const,
      summarise: () => Promise.reject(new LongrunError('model_rejected', 'no such model')),
    };
    const { episode: row, state } = await compressEpisode(original, { ...options(1_500), summariser });
    expect(state).toBe('failed');
    expect({ ...row, compressed: null }).toEqual(original);
    expect(row.compressed).toMatchObject({
      failed: 'no such model',
      stillOverLimit: true,
      summarisedTurns: null,
    });
  });

  it('cuts a summary that is longer than it was asked to be, and counts an empty one as failed', async () => {
    const answers = (text: string) => ({
      ...options(1_500),
      summariser: { kind: 'model' as const, summarise: async () => text },
    });
    const { episode: row } = await compressEpisode(long(30), answers('words '.repeat(5_000)));
    expect(row.compressed?.stillOverLimit).toBe(false);
    expect((await compressEpisode(long(30), answers('  \n'))).state).toBe('failed');
  });

  it('marks what is over the target though everything that may go is gone', async () => {
    const original = long(30);
    const { episode: row, state } = await compressEpisode(original, options(60));
    expect(state).toBe('compressed');
    expect(row.compressed?.stillOverLimit).toBe(true);
    expect(row.trajectory.timesteps).toHaveLength(keyTurns(turnsOf(original)).size);
  });

  it('keeps a call and its result together where they stand in two timesteps', async () => {
    const whole = long(30);
    const apart = whole.trajectory.timesteps.flatMap(({ chats, availableToolSchemas }) => {
      const said = chats.flatMap((chat) => chat.messages);
      const results = said.filter(({ role }) => role === 'tool');
      const rest = timeStep(
        said.filter(({ role }) => role !== 'tool'),
        availableToolSchemas,
      );
      return results.length > 0 ? [rest, timeStep(results)] : [rest];
    });
    const { episode: row, state } = await compressEpisode(episode('apart', apart), options(1_500));
    expect(state).toBe('compressed');
    const left = messages(row);
    const calls = left.flatMap((message) =>
      message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : [],
    );
    expect(left.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []))).toEqual(calls);
  });

  it('does not summarise a summary', async () => {
    const { episode: once } = await compressEpisode(long(30), options(1_500));
    const { episode: twice, state } = await compressEpisode(once, options(500));
    expect(state).toBe('kept');
    expect({ ...twice, compressed: null }).toEqual({ ...once, compressed: null });
    expect(twice.compressed).toEqual({ ...once.compressed, stillOverLimit: true });
  });
});

/** Each call has its result in the same timestep, each result its call. */
function expectWhole(row: Episode): void {
  for (const step of row.trajectory.timesteps) {
    const here = step.chats.flatMap((chat) => chat.messages);
    const calls = here.flatMap((message) =>
      message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : [],
    );
    expect(here.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []))).toEqual(calls);
  }
}

/** Instructions, key turns and the end are there, nothing is new but the summary, and the order is kept. */
function expectKept(original: Episode, row: Episode): void {
  const turns = turnsOf(original);
  const summary = messages(row).filter(({ label }) => label === 'summary');
  expect(summary).toHaveLength(1);
  const { keptTurns = [], summarisedTurns } = row.compressed ?? {};
  const kept = new Set(keptTurns);
  const expected = turns.flatMap(({ index, instructions }) =>
    kept.has(index)
      ? messages({
          ...original,
          trajectory: { ...original.trajectory, timesteps: [original.trajectory.timesteps[index]] },
        } as Episode)
      : instructions,
  );
  expect(messages(row).filter(({ label }) => label !== 'summary')).toEqual(expected);
  for (const key of keyTurns(turns)) expect(kept.has(key)).toBe(true);
  const gone = turns.map(({ index }) => index).filter((index) => !kept.has(index));
  expect(summarisedTurns).toEqual([Math.min(...gone), Math.max(...gone)]);
}

function long(turns: number, facts: Partial<Episode> = {}): Episode {
  const steps = Array.from({ length: turns }, (_, i) => {
    const last = i === turns - 1;
    const call = { id: `call_${i}`, name: 'terminal', arguments: JSON.stringify({ command: `ls src/${i}` }) };
    const opening = i === 0 ? [user('Find the fault')] : [];
    const body = last
      ? [assistant('It was in src/7.')]
      : [assistant('', [call]), result(call.id, 'terminal', `file ${i}\n`.repeat(60))];
    return timeStep([...opening, ...body], i === 0 ? [tool('terminal')] : null);
  });
  const made = episode('long', steps, facts);
  return {
    ...made,
    turns: made.turns.map((turn) => ({
      ...turn,
      promptTokenIds: [1],
      completionTokenIds: [2],
      logprobs: [-0.1],
    })),
  };
}
