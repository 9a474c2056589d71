import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { WorkHere } from '../core/held/work-here.js';
import { scopesOfWorkflow } from '../core/ids.js';

/** Every activity is a piece of work of the run, and of the task in it, whose workflow asked for it. */
export function countsWork(work: WorkHere): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      execute: (input, next) =>
        work.during(scopesOfWorkflow(info.workflowExecution?.workflowId ?? ''), () => next(input)),
    },
  });
}
