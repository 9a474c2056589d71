import type { Logger } from 'pino';
import type { BudgetStop } from '../core/budget/budget.js';
import type { HostLedgers } from '../core/host/host-ledgers.js';
import type { Clock } from '../core/time.js';
import type { ModelGate } from '../model/limits/model-gate.js';
import type { ModelClient } from '../model/model-client.js';
import type { SandboxDriver } from '../sandbox/sandbox.js';
import type { RunRecord } from '../store/records/records.schema.js';
import type { ArtifactStore } from '../store/store.js';
import type { Environment } from '../tasks/environment.js';
import type { HostEnv } from '../tasks/passed-env.js';
import type { TrajectoryRecorder } from '../trajectories/recording/trajectory-recorder.js';
import type { CallPolicies } from './calls/call-policies.js';
import type { RunBudgets } from './calls/run-budget.js';
import type { AtCheckpoint } from './checkpoints.js';
import type { RolloutObserver } from './observer.js';

/** What the work on rollouts needs of the outside; composed once, in `worker/`. */
export interface RolloutDeps {
  store: ArtifactStore;
  hostId: string;
  clusterId: string;
  namespace: string;
  drivers: ReadonlyMap<string, SandboxDriver>;
  ledgers: HostLedgers;
  environmentOf(run: RunRecord): Environment;
  /** What its tasks may have of the host's environment. */
  hostEnvOf(run: RunRecord): HostEnv;
  modelOf(run: RunRecord): ModelClient;
  /** The limits of its endpoint, shared with all that call it. */
  gateOf(run: RunRecord): ModelGate;
  /** Which weights its model calls ask. */
  policies: CallPolicies;
  budgets: RunBudgets;
  /** Holds the run back until somebody raises its budget. */
  pauseRun(runId: string, reason: BudgetStop): Promise<void>;
  observer: RolloutObserver;
  recorder: TrajectoryRecorder;
  atCheckpoint: AtCheckpoint;
  now: Clock;
  newId(): string;
  logger: Logger;
  /** A slice starts no new turn after so long. */
  sliceMs: number;
}
