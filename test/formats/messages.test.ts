import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Episode } from '../../src/core/trajectory/episode.schema.js';
import { messagesFormat } from '../../src/formats/messages/messages.js';
import { messagesReader } from '../../src/formats/messages/messages-reader.js';
import { messagesOf } from '../../src/formats/messages-of.js';
import { offeredTools } from '../../src/formats/offered-tools.js';
import { pythonJson } from '../../src/formats/python-json.js';
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

const lineOf = (one: Episode): string => pythonJson(messagesFormat.rows([one], context()).rows[0]?.value);

function read(row: unknown): Episode {
  const [one] = messagesReader.open().row(row as Record<string, unknown>, { file: 'chats.jsonl', line: 3 });
  if (!one) throw new Error('no episode was read');
  return one;
}

describe('a row of chat messages', () => {
  it('is what OpenAI-compatible trainers read: messages as sent, arguments and tools as JSON text', () => {
    const call = { id: 'a', name: 'terminal', arguments: '{"command":"ls"}' };
    const one = episode('chat', [
      timeStep(
        [
          { role: 'system', content: 'Be brief.', label: null },
          user('List'),
          assistant('', [call], 'hm'),
          result('a', 'terminal', 'x\ny'),
        ],
        [tool('terminal', 'Runs a command')],
      ),
      timeStep([assistant('Two files.')]),
    ]);
    const row = JSON.parse(lineOf(one));
    expect(row).toEqual({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'List' },
        {
          role: 'assistant',
          content: '',
          reasoning_content: 'hm',
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'terminal', arguments: '{"command":"ls"}' } },
          ],
        },
        { role: 'tool', content: 'x\ny', tool_call_id: 'a', name: 'terminal' },
        { role: 'assistant', content: 'Two files.' },
      ],
      tools: JSON.stringify([tool('terminal', 'Runs a command')]),
      model: 'scripted/demo',
      completed: true,
      reward: 1,
      metadata: { source: 'environment', status: 'success', session_id: 'chat' },
    });
    expect(lineOf(one)).toContain('"reward": 1.0');
  });

  it('read back is the same conversation, word for word, and written again the same row', () => {
    fc.assert(
      fc.property(anEpisode(), (before) => {
        const line = lineOf(before);
        const after = read(JSON.parse(line));
        expect(messagesOf(after)).toEqual(messagesOf(before).map(emptyReasoningIsNone));
        expect(offeredTools(after)).toEqual(offeredTools(before));
        expect(after).toMatchObject({
          sessionId: before.sessionId,
          source: before.source,
          model: before.model,
        });
        expect(after.outcome).toMatchObject({
          completed: before.outcome.completed,
          status: before.outcome.status,
        });
        if (line.includes('"reasoning_content": ""')) return;
        expect(lineOf(after)).toBe(line);
      }),
      { numRuns: 150 },
    );
  });

  it('of another tool may have parts, nulls, bare tools, unnamed results and arguments that are objects', () => {
    const one = read({
      messages: [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: 'http://x/y.png' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ function: { name: 'look', arguments: { at: 1 } } }],
        },
        { role: 'tool', content: 'a cat', tool_call_id: '2_call_0', tool_calls: null },
      ],
      tools: [{ name: 'look', parameters: { type: 'object' } }],
      id: 'row/7',
    });
    expect(messagesOf(one)).toEqual([
      { role: 'system', content: 'Be brief.', label: null },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', imageUrl: { url: 'http://x/y.png' } },
        ],
        label: null,
      },
      assistant('', [{ id: '2_call_0', name: 'look', arguments: '{"at":1}' }]),
      result('2_call_0', 'look', 'a cat'),
    ]);
    expect(one).toMatchObject({ sessionId: 'row_7', imported: { format: 'messages', line: 3 } });
    expect(offeredTools(one)).toEqual([{ name: 'look', description: '', parameters: { type: 'object' } }]);
  });

  it('is refused where a message is none, by its place', () => {
    expect(() => read({ messages: [{ role: 'robot', content: 'x' }] })).toThrow(
      'messages.0.role: found "robot", accepted: system, user, assistant, tool',
    );
    expect(() => read({ messages: [{ role: 'user', content: 7 }] })).toThrow('messages.0.content: found 7');
    const nameless = { role: 'assistant', content: '', tool_calls: [{ id: 'a', function: {} }] };
    expect(() => read({ messages: [nameless] })).toThrow(
      'messages.0.tool_calls.0.function.name: found nothing',
    );
  });
});

/** An empty text and no text of reasoning are the same to every server. */
const emptyReasoningIsNone = (message: ReturnType<typeof messagesOf>[number]): unknown =>
  message.role === 'assistant' && message.reasoning === '' ? { ...message, reasoning: null } : message;
