import type { CallRecord } from '../../store/records/records.schema.js';
import type {
  AgentContext,
  Continuation,
  NextRequest,
  PlannedCall,
  TurnAgent,
  TurnHistory,
} from '../agent.js';
import { FINISH_TOOL } from '../tools/finish.js';
import { grownTokens, promptBudget, toolSchemas } from './context-budget.js';
import { opening, turnMessages } from './conversation.js';
import { formatError, formatErrorsInARow, MAX_FORMAT_ERRORS } from './format-error.js';
import { historyView } from './history-view.js';
import { planCalls } from './plan-calls.js';
import { summarise } from './summarise.js';

const CONTINUE: Continuation = { kind: 'continue' };

/** An agent that works by native tool calls until it calls finish or calls nothing. */
export const toolCallingAgent: TurnAgent = {
  next(context: AgentContext, turns: readonly TurnHistory[]): NextRequest {
    if (turns.length >= context.config.maxTurns)
      return { kind: 'stop', stopReason: 'max_turns', message: `${turns.length} turns were made` };
    switch (context.config.contextPolicy) {
      case 'stop':
        return wholeConversation(context, turns);
      case 'history-view':
        return historyView(context, turns);
      case 'summarise':
        return summarise(context, turns);
    }
  },

  plan(context: AgentContext, call: CallRecord): PlannedCall[] {
    return planCalls(call.message.toolCalls, context.tools);
  },

  judge(_context: AgentContext, turns: readonly TurnHistory[]): Continuation {
    const turn = turns.at(-1);
    if (!turn) return CONTINUE;
    if (turn.results.some((result) => result.name === FINISH_TOOL && result.success))
      return { kind: 'stop', stopReason: 'natural', message: 'the agent called finish' };
    const problem = formatError(turn);
    const called = turn.call.message.toolCalls.length > 0;
    if (!called && turn.call.finishReason === 'length')
      return {
        kind: 'stop',
        stopReason: 'length_truncated',
        message: 'the answer was cut off at its token limit',
      };
    if (problem !== null) {
      if (formatErrorsInARow(turns) < MAX_FORMAT_ERRORS) return CONTINUE;
      const message = `${MAX_FORMAT_ERRORS} unusable answers in a row, the last one: ${problem}`;
      return { kind: 'stop', stopReason: 'format_error', message };
    }
    return called
      ? CONTINUE
      : { kind: 'stop', stopReason: 'natural', message: 'the agent called no more tools' };
  },
};

function wholeConversation(context: AgentContext, turns: readonly TurnHistory[]): NextRequest {
  const messages = [...opening(context), ...turnMessages(turns).flat()];
  const budget = promptBudget(context);
  const tokens = budget === null ? 0 : grownTokens(context, messages, turns.at(-1));
  if (budget !== null && tokens > budget)
    return {
      kind: 'stop',
      stopReason: 'context_overflow',
      message: `the conversation has about ${tokens} tokens; the context window has room for ${budget}`,
    };
  return { kind: 'send', messages, tools: toolSchemas(context), sentView: null };
}
