import { append } from '../../core/lists/append.js';
import type { ChatMessage } from '../../core/model/messages.js';
import type { AgentContext, TurnHistory } from '../agent.js';
import { uniqueCallIds } from './call-ids.js';
import { formatError, unreadCalls } from './format-error.js';
import { LABELS } from './labels.js';

/** System prompt and task: the start of every request of a rollout. */
export function opening(context: AgentContext): ChatMessage[] {
  return [
    { role: 'system', content: systemPrompt(context), label: LABELS.system },
    { role: 'user', content: context.instruction, label: LABELS.task },
  ];
}

function systemPrompt(context: AgentContext): string {
  const folder = context.workdir === null ? '' : ` The working directory is ${context.workdir}.`;
  return `You are an agent that solves a task in a Linux sandbox by calling tools.${folder}

- Nobody can answer questions: decide yourself and go on.
- Look before you change things, and check your work before you end; hidden tests will judge the state of the sandbox, not what you say.
- Each tool call answers with what happened. When one fails, read why and try another way.
- When the task is done, call finish.`;
}

/** Every turn as the messages it adds: a call is never without its result, nor a result without its call. */
export function turnMessages(turns: readonly TurnHistory[]): ChatMessage[][] {
  const taken: string[] = [];
  return turns.map((turn, index) => {
    const calls = uniqueCallIds(turn.call.message.toolCalls, index, taken);
    append(
      taken,
      calls.map((call) => call.id),
    );
    const { content, reasoning } = turn.call.message;
    const messages: ChatMessage[] = [
      { role: 'assistant', content, reasoning, toolCalls: calls, label: LABELS.action },
    ];
    // By position: an endpoint may hand out the same id twice.
    for (const [at, call] of calls.entries()) {
      const result = turn.results[at]?.content ?? '[no result]';
      messages.push({
        role: 'tool',
        toolCallId: call.id,
        name: call.name,
        content: result,
        label: LABELS.observation,
      });
    }
    if (calls.length === 0) messages.push(correction(turn));
    else messages.push(...unread(turn));
    return messages;
  });
}

/** Beside calls that were run, a broken one is worth a word. */
function unread(turn: TurnHistory): ChatMessage[] {
  const problem = unreadCalls(turn);
  return problem === null ? [] : [{ role: 'user', content: problem, label: LABELS.correction }];
}

/** An answer without calls that the rollout went on after was an unusable one. */
function correction(turn: TurnHistory): ChatMessage {
  const problem = formatError(turn) ?? 'You called no tool.';
  return {
    role: 'user',
    content: `${problem} Call one of the tools; when the task is done, call finish.`,
    label: LABELS.correction,
  };
}
