import type { ActivityDeps } from './activity-deps.js';

export interface EndpointActivities {
  /** Has this process ask again for its share of an endpoint: something has changed. */
  renewEndpoint(workflowId: string): Promise<void>;
}

export function createEndpointActivities(deps: Pick<ActivityDeps, 'endpoints'>): EndpointActivities {
  return { renewEndpoint: async (workflowId) => deps.endpoints.nudge(workflowId) };
}
