import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { BudgetShares, freshShares } from '../src/core/budget/budget-shares.js';
import type { RunBudgetInput } from '../src/core/run/workflow-messages.js';
import { MINUTE_MS, SECOND_MS } from '../src/core/time.js';
import { askBudgetUpdate } from './messages.js';

/** As long as `SHARE_LEASE_MS` of the processes that hold them. */
const LEASE_MS = 30 * SECOND_MS;
const LOOK_MS = MINUTE_MS;

/**
 * Hands out one budget to the processes that spend it: a few events per process and 10 s, none per
 * call. Ends when nobody holds a share any more: what was spent is in the records.
 */
export async function runBudget(input: RunBudgetInput): Promise<void> {
  const { ceiling, ceilingVersion, spentBefore } = input;
  const shares = new BudgetShares(
    input.carried ?? freshShares(ceiling, ceilingVersion, spentBefore),
    LEASE_MS,
  );
  let asked = 0;
  setHandler(askBudgetUpdate, (request) => {
    asked += 1;
    return shares.ask(request, Date.now());
  });
  for (;;) {
    const before = asked;
    const mustRenew = () => workflowInfo().continueAsNewSuggested;
    await condition(() => mustRenew() || (shares.holders === 0 && asked > before), LOOK_MS);
    shares.expire(Date.now());
    await condition(allHandlersFinished);
    if (shares.holders === 0) return;
    if (mustRenew()) await continueAsNew<typeof runBudget>({ ...input, carried: shares.state });
  }
}
