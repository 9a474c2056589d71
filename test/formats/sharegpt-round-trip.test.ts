import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Episode } from '../../src/core/trajectory/episode.schema.js';
import type { TrajectoryMessage } from '../../src/core/trajectory/trajectory.schema.js';
import { messagesOf } from '../../src/formats/messages-of.js';
import { offeredTools } from '../../src/formats/offered-tools.js';
import { pythonJson } from '../../src/formats/python-json.js';
import { shareGptFormat } from '../../src/formats/sharegpt/sharegpt.js';
import { shareGptReader } from '../../src/formats/sharegpt/sharegpt-reader.js';
import { anEpisode } from '../trajectories/support/arbitrary-episode.js';
import {
  assistant,
  context,
  episode,
  result,
  timeStep,
  tool,
  user,
} from '../trajectories/support/episodes.js';

const PLACE = { file: 'rows.jsonl', line: 1 };
const linesOf = (episodes: Episode[], options = {}): string[] =>
  shareGptFormat.rows(episodes, context(options)).rows.map(({ value }) => pythonJson(value));

function read(line: string): Episode {
  const [one] = shareGptReader.open().row(JSON.parse(line), PLACE);
  if (!one) throw new Error('no episode was read');
  return one;
}

/** What the format carries: no system prompt, white space of JSON texts as Python writes it. */
function carried(messages: readonly TrajectoryMessage[]): unknown[] {
  const value = (text: string): unknown => (text.trim() === '' ? {} : JSON.parse(text));
  const parsed = (text: string): unknown => {
    try {
      return /^[{[]/.test(text) ? JSON.parse(text) : text;
    } catch {
      return text;
    }
  };
  return messages.flatMap((message): unknown[] => {
    if (message.role === 'system') return [];
    if (message.role === 'tool') return [{ ...message, content: parsed(String(message.content)) }];
    if (message.role !== 'assistant') return [message];
    const calls = message.toolCalls.map(({ id, function: { name, arguments: text } }) => [
      id,
      name,
      value(text),
    ]);
    const blank = calls.length > 0 && String(message.content).trim() === '';
    const reasoning = message.reasoning?.trim() ? message.reasoning : null;
    return [{ ...message, content: blank ? '' : message.content, reasoning, toolCalls: calls }];
  });
}

describe('an episode that went through ShareGPT', () => {
  it('has the same messages, tools, model, reward and end, in both variants', () => {
    fc.assert(
      fc.property(anEpisode(), fc.constantFrom('cli', 'batch'), (before, variant) => {
        const after = read(linesOf([before], { variant })[0] as string);
        expect(carried(messagesOf(after))).toEqual(carried(messagesOf(before)));
        expect(offeredTools(after)).toEqual(offeredTools(before));
        expect(after.rewards.map(({ value }) => value)).toEqual(before.rewards.map(({ value }) => value));
        expect(after.outcome).toMatchObject({
          completed: before.outcome.completed,
          status: before.outcome.status,
        });
        expect(after).toMatchObject({ sessionId: before.sessionId, source: before.source });
        if (variant === 'cli')
          expect(after).toMatchObject({ model: before.model, finishedAt: before.finishedAt });
        else expect(after.outcome.apiCalls).toBe(before.outcome.apiCalls);
      }),
      { numRuns: 150 },
    );
  });

  it('is written again byte for byte', () => {
    fc.assert(
      fc.property(anEpisode(), fc.constantFrom('cli', 'batch'), (before, variant) => {
        const [line = ''] = linesOf([before], { variant });
        expect(linesOf([read(line)], { variant })).toEqual([line]);
      }),
      { numRuns: 100 },
    );
  });

  it('keeps tags inside strings, digits of large numbers, and texts of calls that are no JSON', () => {
    const calls = [
      {
        id: 'a',
        name: 'write_file',
        arguments: '{"text": "</tool_call>\\n<tool_call>", "n": 12345678901234567890}',
      },
      { id: 'b', name: 'terminal', arguments: "{'command': 'ls'}" },
    ];
    const before = episode('tags', [
      timeStep(
        [
          user('q'),
          assistant('I use <tool_call> now', calls, 'see </thinking>'),
          result('a', 'write_file', '</tool_response> done'),
          result('b', 'terminal', ''),
        ],
        [tool('terminal'), tool('write_file')],
      ),
    ]);
    const after = messagesOf(read(linesOf([before])[0] as string));
    expect(after).toEqual(messagesOf(before));
  });
});

describe('a ShareGPT row of another tool', () => {
  const readTurns = (conversations: unknown[], rest = {}): Episode =>
    read(JSON.stringify({ conversations, ...rest }));

  it('may say user and assistant, and leave think blocks out', () => {
    const one = readTurns([
      { from: 'user', value: 'List the files' },
      {
        from: 'assistant',
        value: '<think>short</think>On it\n<tool_call>{"name": "ls", "arguments": {"p": 1}}</tool_call> now',
      },
      { from: 'tool', value: '<tool_response>{"name": "ls", "content": {"files": ["a"]}}</tool_response>' },
      { from: 'assistant', value: 'One file.' },
    ]);
    expect(messagesOf(one)).toMatchObject([
      { role: 'user', content: 'List the files' },
      {
        role: 'assistant',
        reasoning: 'short',
        toolCalls: [{ function: { name: 'ls', arguments: '{"p":1}' } }],
      },
      { role: 'tool', toolCallId: 'unnamed_0', name: 'ls', content: '{"files":["a"]}' },
      { role: 'assistant', content: 'One file.', reasoning: null },
    ]);
    expect(one.trajectory.timesteps).toHaveLength(2);
    expect(one.sessionId).toBe('rows-1');
    expect(one.rewards).toEqual([]);
  });

  it('of the closed-loop article is read, its calls kept as the text that they are', () => {
    const one = readTurns(
      [
        { from: 'human', value: '检查项目测试失败原因' },
        { from: 'assistant', value: '<tool_call>... terminal pytest ...</tool_call>' },
        { from: 'tool', value: '<tool_response>测试输出...</tool_response>' },
        { from: 'assistant', value: '失败原因是数据库迁移缺少字段。' },
      ],
      {
        completed: true,
        reward: 0.7,
        metadata: { source: 'cron', status: 'success' },
        tool_stats: { terminal: { count: 1, success: 1, failure: 0 } },
      },
    );
    expect(one).toMatchObject({ source: 'cron', rewards: [{ value: 0.7, source: 'environment' }] });
    expect(one.outcome).toMatchObject({ completed: true, status: 'success' });
    expect(messagesOf(one).map(({ content }) => content)).toEqual([
      '检查项目测试失败原因',
      '<tool_call>... terminal pytest ...</tool_call>',
      '测试输出...',
      '失败原因是数据库迁移缺少字段。',
    ]);
    expect(one.metadata.unread_tool_calls).toHaveLength(1);
  });

  it('keeps a system prompt that is not the generated one', () => {
    const one = readTurns([
      { from: 'system', value: 'Be brief.' },
      { from: 'human', value: 'hi' },
      { from: 'gpt', value: 'hello' },
    ]);
    expect(messagesOf(one)[0]).toEqual({ role: 'system', content: 'Be brief.', label: null });
  });

  it('is refused where a turn is none, by its place', () => {
    expect(() => readTurns([{ from: 'robot', value: 'x' }])).toThrow(
      'conversations.0.from: found "robot", accepted: system, human',
    );
    expect(() => readTurns([{ from: 'human', value: 7 }])).toThrow(
      'conversations.0.value: found 7, accepted: a string',
    );
  });
});
