import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Episode, episodeSchema } from '../../../src/core/trajectory/episode.schema.js';
import type { RewardSignal } from '../../../src/core/trajectory/reward-signal.schema.js';
import { atroposV1Format } from '../../../src/formats/atropos-v1/atropos-v1-format.js';
import { atroposV1Import } from '../../../src/formats/atropos-v1/read-atropos-v1.js';
import type { TurnTrace } from '../../../src/formats/atropos-v1/turn-trace.schema.js';
import type { ExportContext } from '../../../src/formats/export-format.js';
import type { InputRow } from '../../../src/formats/import-format.js';
import { pythonJson } from '../../../src/formats/python-json.js';
import { call, turns } from '../../report/recorded-run.js';
import { lostResult, result } from '../../store/fixtures.js';
import { exportContext, recordedEpisode, recordedStep } from '../recorded-episode.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const format = atroposV1Format(sha256);

const rowsOf = (episode: Episode, options: ExportContext['options'] = {}) =>
  format.rows([episode], exportContext(options));
const lines = (episode = recordedEpisode(), options: ExportContext['options'] = {}): string[] =>
  rowsOf(episode, options).rows.map(({ value }) => pythonJson(value));
const traces = (episode = recordedEpisode(), options: ExportContext['options'] = {}): TurnTrace[] =>
  lines(episode, options).map((line) => JSON.parse(line) as TurnTrace);

function read(rows: readonly object[]): Episode[] {
  const reader = atroposV1Import.open();
  const read = rows.flatMap((row, i) => reader.row(row as InputRow, { file: 'traj_x.jsonl', line: i + 1 }));
  return [...read, ...reader.end()];
}

const said = (value: number, note: string | null = null): RewardSignal => ({
  source: 'user',
  quality: 'high',
  value,
  shape: null,
  parts: null,
  by: 'ann',
  at: 1,
  note,
});

describe('a rollout written as atropos-v1', () => {
  it('has a line for each turn, with exactly the fields of a TurnTrace', () => {
    const [first] = traces();
    expect(traces()).toHaveLength(2);
    expect(first).toEqual({
      session_id: 'r__t__0',
      turn_index: 0,
      timestamp: 1_700_000_001,
      model: 'some/model-1',
      provider: 'some',
      prompt_tokens: 50,
      system_prompt_hash: sha256('You solve tasks.'),
      user_message: 'Do it',
      conversation_history_length: 2,
      reasoning: 'What is here?',
      tool_calls: [
        {
          tool_name: 'terminal',
          arguments: { command: 'ls' },
          result: 'notes.txt',
          error: null,
          duration_ms: 12,
          success: true,
        },
      ],
      assistant_response: 'I look around.',
      completion_tokens: 5,
      user_feedback: null,
      task_completed: null,
      reward: null,
    });
  });

  it('says how the session was judged at its last turn', () => {
    expect(traces().map(({ task_completed, reward }) => [task_completed, reward])).toEqual([
      [null, null],
      [true, 1],
    ]);
    const failed = recordedEpisode(undefined, result({ reward: 0.4 }));
    expect(traces(failed).at(-1)).toMatchObject({ task_completed: false, reward: 0.4 });
    const lost = recordedEpisode(undefined, lostResult());
    expect(traces(lost).at(-1)).toMatchObject({ task_completed: null, reward: null, user_feedback: null });
    const liked = { ...lost, rewards: [said(0), said(1, 'neat')] };
    expect(traces(liked).at(-1)).toMatchObject({ user_feedback: 'up: neat', reward: 1 });
  });

  it('writes what Python has as a float with a decimal point', () => {
    expect(lines()[0]).toContain('"timestamp": 1700000001.0');
    expect(lines()[0]).toContain('"duration_ms": 12.0');
    expect(lines()[1]).toContain('"reward": 1.0');
  });

  it('repeats what a turn answers to, and counts the messages before the answer', () => {
    const step = recordedStep({
      turns: [
        { call: call({ message: { content: '', reasoning: null, toolCalls: [] } }), results: [] },
        ...turns(),
      ],
      corrections: [[{ role: 'user', content: 'Your answer was empty.', label: 'correction' }]],
    });
    const two = [step, recordedStep({ name: 'two' })];
    const found = traces(recordedEpisode(two));
    expect(found.map((trace) => [trace.user_message, trace.conversation_history_length])).toEqual([
      ['Do it', 2],
      ['Your answer was empty.', 4],
      ['Your answer was empty.', 6],
      ['Do it', 2],
      ['Do it', 4],
    ]);
  });

  it('leaves out what the settings say', () => {
    const options = { recordReasoning: false, recordToolCalls: false, recordSystemPrompt: true };
    const found = traces(recordedEpisode(), options);
    expect(found[0]).toMatchObject({
      reasoning: null,
      tool_calls: [{ tool_name: 'terminal', arguments: {}, result: null, success: true, duration_ms: 12 }],
      system_prompt: 'You solve tasks.',
    });
    expect(found[1]).not.toHaveProperty('system_prompt');
    expect(lines().join()).not.toContain('You solve tasks.');
  });

  it('keeps arguments that are no object as the model wrote them', () => {
    const [first] = traces(recordedEpisode([recordedStep({ turns: turns('{"command": ls') })]));
    expect(first?.tool_calls[0]?.arguments).toEqual({ raw_arguments: '{"command": ls' });
  });

  it('is a file for each session, or one file', () => {
    const files = (options: ExportContext['options']) =>
      new Set(rowsOf(recordedEpisode(), options).rows.map(({ file }) => file));
    expect([...files({})]).toEqual(['traj_r__t__0.jsonl']);
    expect([...files({ merged: true })]).toEqual([null]);
  });

  it('refuses a rollout without turns by name', () => {
    expect(rowsOf(recordedEpisode([], lostResult()))).toMatchObject({
      rows: [],
      refused: [{ sessionId: 'r__t__0', code: 'no_turns' }],
    });
    expect(rowsOf(recordedEpisode([recordedStep({ turns: [] })])).refused).toHaveLength(1);
  });
});

describe('atropos-v1 read back', () => {
  it.each([
    ['one step', recordedEpisode()],
    ['several steps', recordedEpisode([recordedStep({ name: 'one' }), recordedStep({ name: 'two' })])],
    ['bad arguments', recordedEpisode([recordedStep({ turns: turns('{"command": ls') })])],
    ['a low reward', recordedEpisode(undefined, result({ reward: 0 }))],
    ['no reward', recordedEpisode(undefined, lostResult())],
    ['feedback', { ...recordedEpisode(undefined, lostResult()), rewards: [said(0, 'slow: very')] }],
  ])('and written again gives the same lines: %s', (_, episode) => {
    const options = { recordSystemPrompt: true };
    const [again, ...more] = read(traces(episode, options));
    expect(more).toEqual([]);
    expect(traces(again as Episode, options)).toEqual(traces(episode, options));
    expect(episodeSchema.safeParse(again).success).toBe(true);
  });

  it('is one episode for each session, in a merged file', () => {
    const b = { ...recordedEpisode(), sessionId: 'b' };
    const found = read([...traces(), ...traces(b), ...traces(b)]);
    expect(found.map(({ sessionId, turns: of }) => [sessionId, of.length])).toEqual([
      ['r__t__0', 2],
      ['b', 2],
      ['b', 2],
    ]);
    expect(found[1]?.imported).toEqual({ format: 'atropos-v1', file: 'traj_x.jsonl', line: 3 });
  });

  it('of the guide’s own example has two turns, each answering the user, and a reward', () => {
    const line = (index: number, user: string, more: object) => ({
      session_id: 'sess_abc123',
      turn_index: index,
      model: 'gpt-4o',
      user_message: user,
      reasoning: 'Simple.',
      tool_calls: [],
      assistant_response: 'Sure.',
      prompt_tokens: 1847,
      completion_tokens: 23,
      reward: null,
      ...more,
    });
    const shell = {
      tool_name: 'shell_exec',
      arguments: { command: 'ls' },
      result: 'a',
      success: true,
      duration_ms: 234,
    };
    const [episode] = read([
      line(0, 'Can you help?', {}),
      line(1, 'def f', { tool_calls: [shell], reward: 1.0 }),
    ]);
    expect(episode).toMatchObject({
      sessionId: 'sess_abc123',
      model: 'gpt-4o',
      provider: null,
      startedAt: null,
      rewards: [{ source: 'reward_model', quality: 'medium', value: 1 }],
    });
    expect(
      episode?.trajectory.timesteps.map((step) => step.chats[0]?.messages.map(({ role }) => role)),
    ).toEqual([
      ['user', 'assistant'],
      ['user', 'assistant', 'tool'],
    ]);
  });

  it('takes a session that ends with unfinished work for incomplete, one that called finish for complete', () => {
    const [cut] = read(traces().slice(0, 1));
    expect(cut?.outcome.completed).toBe(false);
    expect(read(traces())[0]?.outcome.completed).toBe(true);
    const finish = { ...traces()[0], tool_calls: [{ tool_name: 'finish', arguments: {}, success: true }] };
    expect(read([finish])[0]?.outcome.completed).toBe(true);
  });

  it('refuses a line of another shape by its field', () => {
    expect(() => read([{ session_id: 's', turn_index: 'one', assistant_response: '' }])).toThrow(
      /at turn_index/,
    );
  });
});
