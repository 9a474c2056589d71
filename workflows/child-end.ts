import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ChildWorkflowFailure, isCancellation } from '@temporalio/workflow';

/**
 * Lets pass that a child was cancelled, terminated, failed or there already: the store says what became of it, not the
 * history of its parent. Whatever else kept it from starting is thrown: nothing has run, so nothing may count as done.
 */
export function acceptEnd(error: unknown): void {
  if (error instanceof ChildWorkflowFailure || error instanceof WorkflowExecutionAlreadyStartedError) return;
  if (!isCancellation(error)) throw error;
}
