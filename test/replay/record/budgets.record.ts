import { NO_TALLY } from '../../../src/core/budget/budget.js';
import { freshShares, type ShareRequest } from '../../../src/core/budget/budget-shares.js';
import { type BudgetName, budgetWorkflowId } from '../../../src/core/ids.js';
import { workflowQueue } from '../../../src/core/run/queues.js';
import type { RunBudgetInput } from '../../../src/core/run/workflow-messages.js';
import { TemporalBudgetKeeper } from '../../../src/temporal/budget-keeper.js';
import type { LongrunHost } from '../../support/longrun-host.js';
import { closed, recordingsOn } from './recordings.js';

const recording = recordingsOn((host) => host.startWorker({ role: 'orchestrator' }));

const LAPSED: BudgetName = { runId: 'lapsed', taskId: null };
const CARRIED: BudgetName = { runId: 'carried', taskId: null };
const ceiling = { tokens: 10_000, costUsd: null };

const request = (nth: number, changes: Partial<ShareRequest> = {}): ShareRequest => ({
  holder: 'process',
  host: 'host',
  leaves: false,
  nth,
  spent: NO_TALLY,
  keeps: NO_TALLY,
  wants: { tokens: 600, costUsd: 0 },
  ceiling,
  ceilingVersion: 0,
  records: null,
  ...changes,
});

const keeperOf = (host: LongrunHost, budget: BudgetName) =>
  new TemporalBudgetKeeper(host.client, budget, async () => NO_TALLY);

recording(
  'a budget whose last holder dies without a word',
  { 'run-budget-lapsed': budgetWorkflowId(LAPSED) },
  async (host) => {
    await keeperOf(host, LAPSED).ask(request(1));
    await closed(host, budgetWorkflowId(LAPSED));
  },
);

recording(
  'a budget that has continued as new',
  { 'run-budget-carried': budgetWorkflowId(CARRIED) },
  async (host) => {
    const spentBefore = { tokens: 1_000, costUsd: 0 };
    const carried = freshShares(ceiling, 0, spentBefore);
    const input: RunBudgetInput = { ceiling, ceilingVersion: 0, spentBefore, carried };
    await host.client.workflow.start('runBudget', {
      workflowId: budgetWorkflowId(CARRIED),
      taskQueue: workflowQueue(),
      args: [input],
    });
    const keeper = keeperOf(host, CARRIED);
    const { share } = await keeper.ask(request(1));
    await keeper.ask(request(2, { spent: { tokens: 300, costUsd: 0 }, keeps: share, wants: null }));
    await keeper.ask(request(3, { spent: { tokens: 600, costUsd: 0 }, wants: null, leaves: true }));
    await closed(host, budgetWorkflowId(CARRIED));
  },
);
