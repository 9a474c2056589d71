import type { ShareAnswer, ShareRequest } from './budget-shares.js';

/** Where the budget is handed out: one place for all processes. */
export interface BudgetKeeper {
  ask(request: ShareRequest): Promise<ShareAnswer>;
}
