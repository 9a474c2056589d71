/** Raised when recorded histories no longer replay; workers of another number never see each other's workflows. */
export const WORKFLOW_ABI = 1;

/** Workflows and bookkeeping activities. */
export function workflowQueue(abi: number = WORKFLOW_ABI): string {
  return `wf-${abi}`;
}

/** Placements wait here until some host of the driver has room. One size class so far: `standard`. */
export function poolQueue(driver: string): string {
  return `pool-${driver}-standard`;
}

/** Work beside the sandboxes of one host. */
export function hostQueue(hostId: string): string {
  return `host-${hostId}`;
}

/** Clean-up on a host, which must not wait behind its work. */
export function hostControlQueue(hostId: string): string {
  return `host-${hostId}-control`;
}
