import { condition, getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import type { RolloutProgress } from '../src/core/rollout/rollout-progress.js';
import type { BudgetHold } from '../src/core/run/workflow-messages.js';
import { HOUR_MS } from '../src/core/time.js';
import { heldSignal } from './messages.js';

/**
 * Waits until somebody says to go on, which is how a raised budget is told of; `seen` are the nudges
 * before the budget said no. It costs no slot, and in a group's case no room in the run's window.
 */
export async function waitForBudget(
  hold: BudgetHold,
  progress: RolloutProgress,
  seen: number,
): Promise<void> {
  progress.phase = 'waiting';
  if (hold.scope === 'group') await tellParent(true);
  await condition(() => progress.nudges !== seen, HOUR_MS);
  if (hold.scope === 'group') await tellParent(false);
}

async function tellParent(held: boolean): Promise<void> {
  const { parent, workflowId } = workflowInfo();
  if (!parent) return;
  // One that has closed has no room to give.
  await getExternalWorkflowHandle(parent.workflowId)
    .signal(heldSignal, workflowId, held)
    .catch(() => undefined);
}
