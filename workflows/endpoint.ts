import {
  ActivityCancellationType,
  allHandlersFinished,
  condition,
  continueAsNew,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { EndpointActivities } from '../activities/endpoints.js';
import { EndpointBoard, type EndpointInput, freshBoard } from '../src/core/endpoint/endpoint-board.js';
import { hostControlQueue } from '../src/core/run/queues.js';
import { MINUTE_MS, SECOND_MS } from '../src/core/time.js';
import { endpointQuery, leaveEndpointSignal, renewEndpointUpdate } from './messages.js';

/** What was learned of an endpoint is kept for the next run for so long. */
const IDLE_MS = 10 * MINUTE_MS;
/** The server takes 2,000 updates a history. */
const RENEWALS = 1_000;

/**
 * Divides what one model endpoint bears among the processes that call it: about five events per
 * process and 10 s, none per call. Ends when nobody has called it for a while.
 */
export async function endpoint(input: EndpointInput): Promise<void> {
  const board = new EndpointBoard(input.carried ?? freshBoard(Date.now()));
  let renewals = 0;
  setHandler(renewEndpointUpdate, (report) => {
    renewals += 1;
    const share = board.renew(report, Date.now());
    for (const hostId of board.takeNudges()) nudge(hostId);
    return share;
  });
  setHandler(leaveEndpointSignal, (who) => board.leave(who));
  setHandler(endpointQuery, () => board.view(input.baseUrl, Date.now()));
  for (;;) {
    const seen = renewals;
    const mustRenew = () => workflowInfo().continueAsNewSuggested || renewals >= RENEWALS;
    const full = await condition(mustRenew, IDLE_MS);
    board.expire(Date.now());
    await condition(allHandlersFinished);
    if (full) await continueAsNew<typeof endpoint>({ ...input, carried: board.state });
    if (board.processes === 0 && renewals === seen) return;
  }
}

/** A process that cannot be told asks by itself, later. */
function nudge(hostId: string): void {
  const { renewEndpoint } = proxyActivities<EndpointActivities>({
    taskQueue: hostControlQueue(hostId),
    scheduleToCloseTimeout: 10 * SECOND_MS,
    cancellationType: ActivityCancellationType.ABANDON,
    retry: { maximumAttempts: 1 },
  });
  renewEndpoint(workflowInfo().workflowId).catch(() => undefined);
}
