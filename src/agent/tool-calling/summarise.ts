import type { ChatMessage } from '../../core/model/messages.js';
import { estimatePrompt } from '../../model/estimate-tokens.js';
import type { AgentContext, NextRequest, TurnHistory } from '../agent.js';
import { grownTokens, promptBudget, promptTokens, toolSchemas } from './context-budget.js';
import { opening, turnMessages } from './conversation.js';
import { LABELS } from './labels.js';
import { transcript } from './transcript.js';

/** Of the room that task, tools and summary leave, what the turns that stay word for word may fill. */
const KEPT_SHARE = 0.4;
const BYTES_PER_TOKEN = 3;

const INSTRUCTIONS = `You shorten the record of an agent's work so that the agent can go on with it. Write down, in this order: what was found out about the sandbox, what was changed (files, commands, values), what failed and why, what is left to do. Keep paths, names and numbers exactly. Do not solve the task.`;

/** The whole conversation while it fits; then older turns give way to a summary that the model writes. */
export function summarise(context: AgentContext, turns: readonly TurnHistory[]): NextRequest {
  const byTurn = turnMessages(turns);
  const budget = promptBudget(context);
  const summarised = context.summary?.throughTurn ?? -1;
  const messages = [...opening(context), ...summaryMessage(context), ...byTurn.slice(summarised + 1).flat()];
  const newest = turns.at(-1);
  const tokens =
    sentThrough(newest) === summarised
      ? grownTokens(context, messages, newest)
      : promptTokens(context, messages);
  if (budget === null || tokens <= budget) return send(context, messages, turns.length);

  const room = budget - promptTokens(context, [...opening(context), ...summaryMessage(context)]);
  const through = lastToSummarise(byTurn, summarised, room);
  if (through <= summarised)
    return {
      kind: 'stop',
      stopReason: 'context_overflow',
      message: 'the task, the summary and the newest turn do not fit the context window',
    };
  return {
    kind: 'summarise',
    messages: request(context, byTurn, summarised, through, budget),
    throughTurn: through,
  };
}

/** The last turn that a summary stood for when the newest turn was asked for; -1 = there was none. */
function sentThrough(newest: TurnHistory | undefined): unknown {
  return newest?.call.sentView?.throughTurn ?? -1;
}

function send(context: AgentContext, messages: ChatMessage[], turns: number): NextRequest {
  const sentView =
    context.summary === null
      ? null
      : { policy: 'summarise', throughTurn: context.summary.throughTurn, turns };
  return { kind: 'send', messages, tools: toolSchemas(context), sentView };
}

function summaryMessage(context: AgentContext): ChatMessage[] {
  if (context.summary === null) return [];
  const content = `[Summary of your work so far]\n${context.summary.content}`;
  return [{ role: 'user', content, label: LABELS.summary }];
}

/** Keeps as many of the newest turns as fit their share of `room` tokens, and the newest one always. */
function lastToSummarise(byTurn: ChatMessage[][], summarised: number, room: number): number {
  let kept = estimatePrompt(byTurn.at(-1) ?? [], []);
  let from = byTurn.length - 1;
  while (from - 1 > summarised) {
    kept += estimatePrompt(byTurn[from - 1] ?? [], []);
    if (kept > room * KEPT_SHARE) break;
    from -= 1;
  }
  // All of them fit by estimate, yet the endpoint counted too many tokens: its count decides.
  return from - 1 > summarised ? from - 1 : byTurn.length - 2;
}

/** A request of plain text: many endpoints refuse tool messages in a request without tools. */
function request(
  context: AgentContext,
  byTurn: ChatMessage[][],
  summarised: number,
  through: number,
  budget: number,
): ChatMessage[] {
  const before =
    context.summary === null ? '' : `Summary of what came before:\n${context.summary.content}\n\n`;
  const frame: ChatMessage[] = [
    { role: 'system', content: INSTRUCTIONS, label: LABELS.system },
    {
      role: 'user',
      content: `The task:\n${context.instruction}\n\n${before}What was done since:\n`,
      label: LABELS.task,
    },
  ];
  const room = Math.max(0, budget - estimatePrompt(frame, []) - 64) * BYTES_PER_TOKEN;
  const record = transcript(byTurn.slice(summarised + 1, through + 1).flat(), room);
  const [system, user] = frame as [ChatMessage, ChatMessage];
  return [system, { ...user, content: `${user.content}${record}\n\nWrite the summary.` }];
}
