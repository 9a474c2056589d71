import type { TurnHistory } from '../agent.js';

/** So many unusable answers in a row end the rollout. */
export const MAX_FORMAT_ERRORS = 3;

/** How calls look that the endpoint should have parsed and did not. */
const UNPARSED_CALL =
  /<tool_call>|<function=|\[TOOL_CALLS\]|<\|python_tag\|>|<\|tool_call_begin\|>|<｜tool▁call▁begin｜>/;

/** What is unusable about a turn's answer, in words for the model; null when something came of it. */
export function formatError(turn: TurnHistory): string | null {
  const { content, toolCalls } = turn.call.message;
  if (toolCalls.length > 0) return allRefused(turn) ? 'None of your tool calls could be run.' : null;
  if (content.trim() === '') return 'Your answer was empty.';
  if (UNPARSED_CALL.test(content)) return 'Your tool call arrived as plain text and was not run.';
  return null;
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
