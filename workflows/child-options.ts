import {
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';

/** How every child is started: it ends in order when its parent does, and twice only by `runs recover`. */
export function childOptions(incarnation: number) {
  return {
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    workflowIdReusePolicy:
      incarnation > 1 ? WorkflowIdReusePolicy.ALLOW_DUPLICATE : WorkflowIdReusePolicy.REJECT_DUPLICATE,
  };
}
