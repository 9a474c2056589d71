import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { endpointWorkflowId } from '../../core/endpoint/messages.js';
import type { Kept } from '../../core/held/kept.js';
import { SharedByRuns } from '../../core/held/shared-by-runs.js';
import { isScripted, type ModelConfig } from '../../model/index.js';
import { endpointName } from '../../model/limits/endpoint-name.js';
import { type ModelGate, OPEN_GATE } from '../../model/limits/model-gate.js';
import { TemporalEndpointKeeper } from '../../temporal/endpoint-keeper.js';
import { EndpointLease } from './endpoint-lease.js';

/** This process's shares of the endpoints that it calls, by workflow id. */
export class EndpointLeases {
  private readonly leases = new SharedByRuns<EndpointLease>((lease) => lease.close());
  private readonly process = randomUUID();

  constructor(
    private readonly client: Client,
    private readonly hostId: string,
    private readonly logger: Logger,
  ) {}

  /** Each share is given back with the last run that calls its endpoint. */
  get kept(): Kept {
    return this.leases;
  }

  /** Scripted models have an endpoint in this process, which bears what it is asked. */
  gateOf(runId: string, config: Pick<ModelConfig, 'model' | 'baseUrl' | 'apiKeyEnv'>): ModelGate {
    if (config.model === null || isScripted(config.model)) return OPEN_GATE;
    const name = endpointName(config);
    const id = endpointWorkflowId(name);
    const make = () =>
      new EndpointLease({
        who: { hostId: this.hostId, process: this.process },
        keeper: new TemporalEndpointKeeper(this.client, name),
        now: Date.now,
        onTrouble: (err) => this.logger.debug({ err, endpoint: name.baseUrl }, 'no share of the endpoint'),
      });
    return this.leases.of(id, runId, make).gate;
  }

  nudge(workflowId: string): void {
    this.leases.get(workflowId)?.soon();
  }

  async close(): Promise<void> {
    await this.leases.close();
  }
}
