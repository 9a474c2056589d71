import type { ChatMessage } from '../../core/model/messages.js';
import type { AgentContext, NextRequest, TurnHistory } from '../agent.js';
import { promptBudget, promptTokens, toolSchemas } from './context-budget.js';
import { opening, turnMessages } from './conversation.js';
import { DEFAULT_HISTORY_LIMITS, LABELS } from './labels.js';

/** Once turns have to go for want of room, so many go that the rest fills this share of it. */
const REFILL_SHARE = 0.7;

/**
 * agoge's history view: the newest n messages of each label. Whole turns leave, oldest first, so
 * that no call is parted from its result; more of them leave when the rest outgrows the window.
 */
export function historyView(context: AgentContext, turns: readonly TurnHistory[]): NextRequest {
  const byTurn = turnMessages(turns);
  const budget = promptBudget(context);
  const build = (from: number): ChatMessage[] => [
    ...opening(context),
    ...notice(from),
    ...byTurn.slice(from).flat(),
  ];
  const fits = (from: number, share = 1): boolean =>
    budget === null || promptTokens(context, build(from)) <= budget * share;

  const newest = Math.max(0, turns.length - 1);
  let from = Math.max(firstWithinLimits(byTurn, context), sentFrom(turns));
  if (!fits(from)) while (from < newest && !fits(from, REFILL_SHARE)) from += 1;
  if (!fits(from))
    return {
      kind: 'stop',
      stopReason: 'context_overflow',
      message: 'the task and the newest turn alone do not fit the context window',
    };
  const sentView = from === 0 ? null : { policy: 'history-view', firstTurn: from, turns: turns.length };
  return { kind: 'send', messages: build(from), tools: toolSchemas(context), sentView };
}

/** The oldest turn from which on no label has more messages than its limit; the newest turn always stays. */
function firstWithinLimits(byTurn: ChatMessage[][], context: AgentContext): number {
  const limits = { ...DEFAULT_HISTORY_LIMITS, ...context.config.historyLimits };
  const counts = new Map<string, number>();
  for (let turn = byTurn.length - 1; turn >= 0; turn--) {
    for (const { label } of byTurn[turn] ?? []) if (label) counts.set(label, (counts.get(label) ?? 0) + 1);
    const over = Object.entries(limits).some(([label, limit]) => (counts.get(label) ?? 0) > limit);
    if (over) return Math.min(turn + 1, byTurn.length - 1);
  }
  return 0;
}

/** What was left out once stays out: a prompt that only grows is cheaper and trains better. */
function sentFrom(turns: readonly TurnHistory[]): number {
  const view = turns.at(-1)?.call.sentView;
  return view?.policy === 'history-view' && typeof view.firstTurn === 'number' ? view.firstTurn : 0;
}

function notice(from: number): ChatMessage[] {
  if (from === 0) return [];
  return [
    {
      role: 'user',
      content: '[Earlier turns are no longer shown. What they did to the sandbox is done.]',
      label: LABELS.notice,
    },
  ];
}
