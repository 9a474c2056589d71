import type { PolicyVersions } from '../../sinks/sink.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import type { ArtifactStore } from '../../store/store.js';
import type { Environment } from '../../tasks/environment.js';
import type { RunClient } from '../../temporal/run-client.js';

/** What the rollout API needs of whoever listens. */
export interface RolloutApiDeps {
  store: ArtifactStore;
  runs: RunClient;
  /** The run that serves: its settings are those of the groups that are asked for. */
  run: RunRecord;
  policies: Pick<PolicyVersions, 'latest'>;
  environmentOf(run: RunRecord): Environment;
  env: NodeJS.ProcessEnv;
  now(): number;
  newId(): string;
  /** Ends all waiting: the listener stops. */
  signal: AbortSignal;
}
