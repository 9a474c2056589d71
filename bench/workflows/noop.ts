import { proxyActivities } from '@temporalio/workflow';

const { nothing } = proxyActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: 60_000 });

/** So many activities in a row that do nothing: what the server alone costs a rollout. */
export async function noop(activities: number): Promise<void> {
  for (let i = 0; i < activities; i++) await nothing();
}
