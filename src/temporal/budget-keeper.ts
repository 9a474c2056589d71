import {
  type Client,
  WithStartWorkflowOperation,
  type Workflow,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { Tally } from '../core/budget/budget.js';
import type { BudgetKeeper } from '../core/budget/budget-keeper.js';
import type { ShareAnswer, ShareRequest } from '../core/budget/budget-shares.js';
import { LongrunError } from '../core/errors.js';
import { type BudgetName, budgetId, budgetWorkflowId } from '../core/ids.js';
import { workflowQueue } from '../core/run/queues.js';
import type { RunBudgetInput } from '../core/run/workflow-messages.js';
import { SECOND_MS } from '../core/time.js';
import { searchAttributeKeys } from './search-attributes.js';

const ANSWER_MS = 10 * SECOND_MS;
const ASK = 'askBudget';

/**
 * The workflow that hands out a budget to all processes; started by whoever asks first.
 * Errors: `temporal_unreachable` (retryable) when it does not answer.
 */
export class TemporalBudgetKeeper implements BudgetKeeper {
  constructor(
    private readonly client: Client,
    private readonly budget: BudgetName,
    private readonly spentSoFar: () => Promise<Tally>,
  ) {}

  async ask(request: ShareRequest): Promise<ShareAnswer> {
    try {
      return await this.askRunning(request);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw this.unanswered(error);
    }
    // Nobody holds a share: the records are all there is to know.
    const spentBefore = await this.spentSoFar();
    try {
      return await this.askNew(request, spentBefore);
    } catch (error) {
      throw this.unanswered(error);
    }
  }

  private askRunning(request: ShareRequest): Promise<ShareAnswer> {
    const handle = this.client.workflow.getHandle(budgetWorkflowId(this.budget));
    return this.inTime(() => handle.executeUpdate<ShareAnswer, [ShareRequest]>(ASK, { args: [request] }));
  }

  private askNew(request: ShareRequest, spentBefore: Tally): Promise<ShareAnswer> {
    const { ceiling, ceilingVersion } = request;
    const input: RunBudgetInput = { ceiling, ceilingVersion, spentBefore };
    const startWorkflowOperation = new WithStartWorkflowOperation('runBudget', {
      workflowId: budgetWorkflowId(this.budget),
      taskQueue: workflowQueue(),
      args: [input],
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      typedSearchAttributes: [{ key: searchAttributeKeys.runId, value: this.budget.runId }],
    });
    return this.inTime(() =>
      this.client.workflow.executeUpdateWithStart<Workflow, ShareAnswer, [ShareRequest]>(ASK, {
        args: [request],
        startWorkflowOperation,
      }),
    );
  }

  private inTime<T>(work: () => Promise<T>): Promise<T> {
    // A signal of its own: a timer keeps that of the activity in which it was set, which ends long before.
    return this.client.withAbortSignal(new AbortController().signal, () =>
      this.client.withDeadline(Date.now() + ANSWER_MS, work),
    );
  }

  private unanswered(cause: unknown): LongrunError {
    return new LongrunError(
      'temporal_unreachable',
      `nobody hands out the budget of ${budgetId(this.budget)}`,
      {
        hint: 'the call is tried again; look whether the server and a worker that orchestrates are up',
        retryable: true,
        cause,
      },
    );
  }
}
