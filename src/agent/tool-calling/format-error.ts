import type { TurnHistory } from '../agent.js';

/** So many unusable answers in a row end the rollout. */
export const MAX_FORMAT_ERRORS = 3;

/** Tokens of calls that stand in no prose. */
const CALL_TOKEN = /\[TOOL_CALLS\]|<\|python_tag\|>|<\|tool_call_begin\|>|<｜tool▁call▁begin｜>/;
/** How calls look in a text that nobody searched for them. */
const UNPARSED_CALL = new RegExp(`<tool_call>|<function=|${CALL_TOKEN.source}`);
/** Of a broken call, at most, so that the model knows it again. */
const SHOWN_CHARACTERS = 200;

/** What is unusable about a turn's answer, in words for the model; null when something came of it. */
export function formatError(turn: TurnHistory): string | null {
  const { parsed, message } = turn.call;
  if (message.toolCalls.length > 0) return allRefused(turn) ? 'None of your tool calls could be run.' : null;
  const unread = unreadCalls(turn);
  if (unread !== null) return unread;
  if (message.content.trim() === '') return `Your answer was empty${because(parsed?.notices)}.`;
  const token = parsed === null ? UNPARSED_CALL : CALL_TOKEN;
  return token.test(message.content) ? 'Your tool call arrived as plain text and was not run.' : null;
}

/** What was wrong with calls that were meant and could not be read; null without any. */
export function unreadCalls({ call }: TurnHistory): string | null {
  const failures = call.parsed?.failures ?? [];
  if (failures.length === 0) return null;
  const reasons = failures.map(({ message, raw }) => `- ${message}: ${shortened(raw)}`);
  return `${failures.length === 1 ? 'A tool call' : `${failures.length} tool calls`} of yours could not be read and nothing of it was run:\n${reasons.join('\n')}\n`;
}

function because(notices: readonly string[] = []): string {
  return notices.length === 0 ? '' : `: ${notices.join('; ')}`;
}

function shortened(raw: string): string {
  return raw.length <= SHOWN_CHARACTERS ? raw : `${raw.slice(0, SHOWN_CHARACTERS)}…`;
}

function allRefused(turn: TurnHistory): boolean {
  return (
    turn.results.length > 0 &&
    turn.results.every(({ error }) => error === 'unknown_tool' || error === 'bad_arguments')
  );
}

/** Unusable answers at the end of the conversation, without a usable one in between. */
export function formatErrorsInARow(turns: readonly TurnHistory[]): number {
  const usable = turns.findLastIndex((turn) => formatError(turn) === null);
  return turns.length - 1 - usable;
}
