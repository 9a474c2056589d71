import {
  type Client,
  WithStartWorkflowOperation,
  type Workflow,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
} from '@temporalio/client';
import type { EndpointInput } from '../core/endpoint/endpoint-board.js';
import {
  type EndpointName,
  type EndpointReport,
  type EndpointShare,
  type EndpointView,
  endpointWorkflowId,
} from '../core/endpoint/messages.js';
import { workflowQueue } from '../core/run/queues.js';
import { SECOND_MS } from '../core/time.js';

const ANSWER_MS = 10 * SECOND_MS;
const LEAVE_MS = SECOND_MS;
const VIEW_MS = 3 * SECOND_MS;

/** The workflow that divides an endpoint's limits among processes; started by whoever asks first. */
export class TemporalEndpointKeeper {
  constructor(
    private readonly client: Client,
    private readonly name: EndpointName,
  ) {}

  /** This process's share from now on. Rejects when the cluster does not answer in time. */
  renew(report: EndpointReport, signal: AbortSignal = new AbortController().signal): Promise<EndpointShare> {
    const input: EndpointInput = { baseUrl: this.name.baseUrl };
    const startWorkflowOperation = new WithStartWorkflowOperation<Workflow>('endpoint', {
      workflowId: endpointWorkflowId(this.name),
      taskQueue: workflowQueue(),
      args: [input],
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    });
    const ask = () =>
      this.client.workflow.executeUpdateWithStart<Workflow, EndpointShare, [EndpointReport]>(
        'renewEndpoint',
        {
          args: [report],
          startWorkflowOperation,
        },
      );
    // A call that outlived its connection would be retried on it, and fail where nobody can catch it. A signal
    // of its own also keeps it from being given up with the activity in which somebody first made a call.
    return this.client.withAbortSignal(signal, () => this.client.withDeadline(Date.now() + ANSWER_MS, ask));
  }

  /** A signal: no worker has to be there to take it. */
  async leave({ hostId, process }: Pick<EndpointReport, 'hostId' | 'process'>): Promise<void> {
    const handle = this.client.workflow.getHandle(endpointWorkflowId(this.name));
    await this.client.withAbortSignal(new AbortController().signal, () =>
      this.client.withDeadline(Date.now() + LEAVE_MS, () =>
        handle.signal('leaveEndpoint', { hostId, process }),
      ),
    );
  }
}

/** How an endpoint stands; null when nobody has called it lately, or nobody can tell. */
export async function readEndpointView(client: Client, name: EndpointName): Promise<EndpointView | null> {
  const handle = client.workflow.getHandle(endpointWorkflowId(name));
  try {
    return await client.withDeadline(Date.now() + VIEW_MS, async () => {
      const { status } = await handle.describe();
      return status.name === 'RUNNING' ? await handle.query<EndpointView>('endpoint') : null;
    });
  } catch {
    return null;
  }
}
