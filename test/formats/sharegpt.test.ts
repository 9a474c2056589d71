import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Episode } from '../../src/core/trajectory/episode.schema.js';
import { pythonJson } from '../../src/formats/python-json.js';
import { shareGptFormat } from '../../src/formats/sharegpt/sharegpt.js';
import {
  assistant,
  context,
  episode,
  result,
  timeStep,
  tool,
  user,
} from '../trajectories/support/episodes.js';

const DOCUMENTED = readFileSync(
  new URL('fixtures/sharegpt-documented-row.jsonl', import.meta.url),
  'utf8',
).trimEnd();

const documented = (): Episode =>
  episode(
    'python-version',
    [
      timeStep(
        [
          { role: 'system', content: 'You are a coding agent.', label: null },
          user('What Python version is installed?'),
          assistant(
            '',
            [{ id: 'call_abc123', name: 'terminal', arguments: '{"command":"python3 --version"}' }],
            'The user wants to know the Python version. I should run python3 --version.',
          ),
          result('call_abc123', 'terminal', 'Python 3.11.6'),
        ],
        [tool('terminal', 'Execute shell commands')],
      ),
      timeStep([
        assistant(
          'Python 3.11.6 is installed on this system.',
          [],
          'Got the version. I can now answer the user.',
        ),
      ]),
    ],
    { model: 'anthropic/claude-sonnet-4.6', finishedAt: Date.UTC(2026, 2, 30, 14, 22, 31) + 456.789 },
  );

type Row = Record<string, ReturnType<typeof JSON.parse>>;

/** The rows of one export, as they are on disk. */
function exported(episodes: Episode[], options = {}): { file: string | null; row: Row }[] {
  const tools = ['read_file', 'terminal'];
  const { rows } = shareGptFormat.rows(episodes, context(options, tools));
  return rows.map(({ file, value }) => ({ file, row: JSON.parse(pythonJson(value)) }));
}
const rowOf = (one: Episode, options = {}): Row => exported([one], options)[0]?.row ?? {};
const turnsOf = (one: Episode): string[] =>
  rowOf(one).conversations.map((turn: { value: string }) => turn.value);
const gptOf = (message: ReturnType<typeof assistant>): string =>
  turnsOf(episode('e', [timeStep([user('q'), message])]))[2] ?? '';

describe('a ShareGPT row', () => {
  it('is the documented one byte for byte, with our columns after it', () => {
    const line = (options = {}): string =>
      pythonJson(shareGptFormat.rows([documented()], context(options)).rows[0]?.value);
    expect(line({ plain: true })).toBe(DOCUMENTED);
    expect(line()).toBe(
      `${DOCUMENTED.slice(0, -1)}, "reward": 1.0, "metadata": {"source": "environment", "status": "success", ` +
        '"session_id": "python-version"}}',
    );
  });

  it('has a think block in every answer, whatever the reasoning', () => {
    expect(gptOf(assistant('hi'))).toBe('<think>\n</think>\nhi');
    expect(gptOf(assistant('hi', [], 'hm'))).toBe('<think>\nhm\n</think>\nhi');
    expect(gptOf(assistant('hi', [], '  '))).toBe('<think>\n</think>\nhi');
    const scratchpad = '<REASONING_SCRATCHPAD>hm</REASONING_SCRATCHPAD>hi';
    expect(gptOf(assistant(scratchpad))).toBe('<think>hm</think>hi');
    expect(gptOf(assistant('say <think> aloud'))).toBe('<think>\n</think>\nsay <think> aloud');
  });

  it('has each call of an answer in a block, its arguments an object that keeps its numbers', () => {
    const calls = [
      {
        id: 'a',
        name: 'terminal',
        arguments: '{"n":12345678901234567890,"x":1.0,"s":"\\u00e9 \\ud83d\\ude42"}',
      },
      { id: 'b', name: 'todo', arguments: '' },
    ];
    expect(gptOf(assistant('both', calls))).toBe(
      '<think>\n</think>\nboth\n' +
        '<tool_call>\n{"name": "terminal", "arguments": {"n": 12345678901234567890, "x": 1.0, "s": "é 🙂"}}\n</tool_call>\n' +
        '<tool_call>\n{"name": "todo", "arguments": {}}\n</tool_call>',
    );
  });

  it('puts {} for arguments that are no object, warns, and keeps the text in the metadata', () => {
    const broken = assistant('', [{ id: 'a', name: 'terminal', arguments: '{"command": "ls' }]);
    const one = episode('broken', [timeStep([user('q'), broken])]);
    const { rows, warnings } = shareGptFormat.rows([one], context());
    const row = JSON.parse(pythonJson(rows[0]?.value));
    expect(row.conversations[2].value).toContain('{"name": "terminal", "arguments": {}}');
    expect(JSON.parse(row.metadata.unparsed_arguments)).toEqual([
      { tool_call_id: 'a', name: 'terminal', arguments: '{"command": "ls' },
    ]);
    expect(warnings).toEqual([
      { sessionId: 'broken', message: expect.stringContaining('a call of terminal are no JSON object') },
    ]);
  });

  it('has the results of an answer in one turn, named by the id of their call, parsed when they are JSON', () => {
    const calls = ['a', 'b', 'c'].map((id) => ({ id, name: `tool_${id}`, arguments: '{}' }));
    const results = [
      result('b', 'mislabelled', '{"ok":true, "n": 1.0}'),
      result('a', '', '[1,2'),
      result('', '', 'plain'),
    ];
    const turns = turnsOf(episode('e', [timeStep([user('q'), assistant('', calls), ...results])]));
    expect(turns.slice(3)).toEqual([
      [
        '<tool_response>\n{"tool_call_id": "a", "name": "tool_a", "content": "[1,2"}\n</tool_response>',
        '<tool_response>\n{"tool_call_id": "b", "name": "tool_b", "content": {"ok": true, "n": 1.0}}\n</tool_response>',
        '<tool_response>\n{"tool_call_id": "", "name": "tool_c", "content": "plain"}\n</tool_response>',
      ].join('\n'),
    ]);
  });

  it('goes beside the samples when its rollout did not complete', () => {
    const failed = { ...documented(), outcome: { ...documented().outcome, completed: false } };
    expect(exported([documented(), failed]).map(({ file }) => file)).toEqual([
      null,
      'failed_trajectories.jsonl',
    ]);
    expect(exported([documented(), failed], { variant: 'batch' }).map(({ file }) => file)).toEqual([
      null,
      null,
    ]);
  });

  it('is refused for a rollout that ended before its first message', () => {
    const { rows, refused } = shareGptFormat.rows([episode('dead', [])], context());
    expect(rows).toEqual([]);
    expect(refused).toMatchObject([{ sessionId: 'dead', code: 'no_conversation' }]);
  });

  it('has the time in UTC, always with six digits of a second, and no null in columns of strings', () => {
    const at = (finishedAt: number | null): string => rowOf({ ...documented(), finishedAt }).timestamp;
    expect(at(Date.UTC(2026, 0, 2))).toBe('2026-01-02T00:00:00.000000');
    expect(at(Date.UTC(2026, 0, 2) + 0.5)).toBe('2026-01-02T00:00:00.000500');
    expect(at(null)).toBe('');
    expect(rowOf({ ...documented(), model: null }).model).toBe('');
  });
});

describe('a ShareGPT row of the batch variant', () => {
  it('has the documented columns in their order, and statistics over the tools of the whole export', () => {
    const row = rowOf({ ...documented(), metadata: { prompt_source: 'gsm8k' } }, { variant: 'batch' });
    expect(Object.keys(row)).toEqual([
      'prompt_index',
      'conversations',
      'metadata',
      'completed',
      'partial',
      'api_calls',
      'toolsets_used',
      'tool_stats',
      'tool_error_counts',
      'reward',
    ]);
    expect(row).toMatchObject({
      prompt_index: 0,
      metadata: { source: 'environment', status: 'success', prompt_source: 'gsm8k' },
      completed: true,
      partial: false,
      api_calls: 2,
      toolsets_used: ['terminal'],
      tool_stats: {
        read_file: { count: 0, success: 0, failure: 0 },
        terminal: { count: 1, success: 1, failure: 0 },
      },
      tool_error_counts: { read_file: 0, terminal: 0 },
    });
  });

  it('counts prompts by group, and keeps the number that a group brought along', () => {
    const of = (groupId: string | null): Episode => ({ ...documented(), sessionId: `s-${groupId}`, groupId });
    const rows = exported([of('r/a'), of('r/b'), of('r/a'), of('prompt-42'), of(null)], { variant: 'batch' });
    expect(rows.map(({ row }) => row.prompt_index)).toEqual([0, 1, 0, 42, 2]);
  });

  it('is partial when the rollout ended early with turns', () => {
    const one = documented();
    const early = { ...one, outcome: { ...one.outcome, completed: false } };
    const unanswered = { ...early, trajectory: { ...one.trajectory, timesteps: [timeStep([user('q')])] } };
    const rows = exported([early, unanswered], { variant: 'batch' });
    expect(rows.map(({ row }) => row.partial)).toEqual([true, false]);
  });

  it.each([
    ['{"output": "x", "exit_code": 1, "error": null}', 'success'],
    ['{"error": "no such file"}', 'failure'],
    ['{"success": false}', 'failure'],
    ['{"content": {"error": "x"}}', 'failure'],
    ['', 'failure'],
    ['Error: no such file', 'failure'],
    ['error is a word', 'success'],
  ])('counts a call answered with %j as a %s', (content, outcome) => {
    const call = assistant('', [{ id: 'a', name: 'terminal', arguments: '{}' }]);
    const one = episode('e', [timeStep([user('q'), call, result('a', 'terminal', content)])]);
    expect(rowOf(one, { variant: 'batch' }).tool_stats.terminal[outcome]).toBe(1);
  });
});
