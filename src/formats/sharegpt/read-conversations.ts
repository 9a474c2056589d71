import { LongrunError } from '../../core/errors.js';
import { append } from '../../core/lists/append.js';
import type { TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import { isJsonObject } from '../json-spacing.js';
import type { OfferedTool } from '../offered-tools.js';
import { type GptTurn, readGptTurn } from './read-gpt-turn.js';
import { toolsOfSystemValue } from './system-value.js';
import { readToolValue } from './tool-value.js';

type Role = TrajectoryMessage['role'];

const ROLES: Readonly<Record<string, Role>> = {
  system: 'system',
  human: 'user',
  user: 'user',
  gpt: 'assistant',
  assistant: 'assistant',
  model: 'assistant',
  tool: 'tool',
  function: 'tool',
  observation: 'tool',
};

export interface ReadConversation {
  messages: TrajectoryMessage[];
  tools: OfferedTool[];
  /** Texts of calls that cannot be read; they stay in the content. */
  unread: string[];
}

interface OpenCall {
  id: string;
  name: string;
  answered: boolean;
}

/**
 * ShareGPT turns as messages. The generated system turn becomes tools again, any other stays. Calls get the ids of
 * their results; one without a result gets an id of its own. Errors: `bad_input` for a turn that is none.
 */
export function readConversations(turns: unknown): ReadConversation {
  if (!Array.isArray(turns))
    throw invalid(`conversations: found ${describe(turns)}, accepted: a list of turns`);
  const read: ReadConversation = { messages: [], tools: [], unread: [] };
  let calls: OpenCall[] = [];
  let made = 0;
  for (const [index, turn] of turns.entries()) {
    const { role, value } = readTurn(turn, index);
    if (role === 'system') {
      const tools = toolsOfSystemValue(value);
      if (tools) append(read.tools, tools);
      else read.messages.push({ role, content: value, label: null });
    } else if (role === 'user') read.messages.push({ role, content: value, label: null });
    else if (role === 'tool') append(read.messages, toolMessages(value, calls));
    else {
      const gpt = readGptTurn(value, read.tools);
      calls = gpt.calls.map(({ name }, i) => ({ id: `unnamed_${made + i}`, name, answered: false }));
      if (index + 1 < turns.length) {
        const next = readTurn(turns[index + 1], index + 1);
        if (next.role === 'tool') takeIds(calls, next.value);
      }
      read.messages.push(assistantMessage(gpt, calls));
      append(read.unread, gpt.failures);
      made += calls.length;
    }
  }
  return read;
}

function readTurn(turn: unknown, index: number): { role: Role; value: string } {
  const found = isJsonObject(turn) ? turn : {};
  const [from, value] = [found.from ?? found.role, found.value ?? found.content];
  const role = ROLES[String(from)];
  if (role === undefined)
    throw invalid(
      `conversations.${index}.from: found ${describe(from)}, accepted: ${Object.keys(ROLES).join(', ')}`,
    );
  if (typeof value !== 'string')
    throw invalid(`conversations.${index}.value: found ${describe(value)}, accepted: a string`);
  return { role, value };
}

/** Results name their calls; the calls themselves have no id in the format. */
function takeIds(calls: OpenCall[], toolTurn: string): void {
  for (const { toolCallId, name } of readToolValue(toolTurn)) {
    if (toolCallId === '') continue;
    const call =
      calls.find((open) => !open.answered && open.name === name) ?? calls.find((open) => !open.answered);
    if (call) Object.assign(call, { id: toolCallId, answered: true });
  }
  for (const call of calls) call.answered = false;
}

function toolMessages(value: string, calls: OpenCall[]): TrajectoryMessage[] {
  return readToolValue(value).map(({ toolCallId, name, content }, position) => {
    const call = toolCallId === '' ? calls[position] : undefined;
    const named = { toolCallId: toolCallId || (call?.id ?? ''), name: name || (call?.name ?? 'unknown') };
    return { role: 'tool', content, ...named, label: null };
  });
}

function assistantMessage(
  { content, reasoning, calls }: GptTurn,
  open: readonly OpenCall[],
): TrajectoryMessage {
  const toolCalls = calls.map(({ name, arguments: text }, i) => ({
    id: open[i]?.id ?? '',
    type: 'function' as const,
    function: { name, arguments: text },
  }));
  return { role: 'assistant', content, reasoning, toolCalls, label: null };
}

const invalid = (message: string): LongrunError => new LongrunError('bad_input', message);
const describe = (value: unknown): string =>
  value === undefined ? 'nothing' : (JSON.stringify(value) ?? '').slice(0, 80);
