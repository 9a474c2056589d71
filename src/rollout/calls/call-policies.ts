import type { Logger } from 'pino';
import { type Kept, KeptPerScope } from '../../core/held/kept.js';
import { type Clock, SECOND_MS } from '../../core/time.js';
import { keyAt } from '../../model/endpoint.js';
import { PolicyLog } from '../../store/policy-log.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import type { Policy } from '../../store/records/serve.schema.js';
import type { ArtifactStore } from '../../store/store.js';

/** What a process may be behind with a new version of the weights. */
const FRESH_MS = SECOND_MS;

/** The weights that a model call asks, as they are when it begins. */
export interface CallPolicy {
  /** Whose client and gate the call goes through: the run itself, or the run at the address of these weights. */
  run: RunRecord;
  /** What to ask that endpoint for; null = what the run asks for. */
  model: string | null;
  /** The version that sampled, where the endpoint's answer says this. */
  versionOf(answered: string | null): string | null;
  /** Tells the run's log of a version that an answer was stamped with. Never throws. */
  seen(version: string | null): Promise<void>;
}

/** Which weights the model calls of a run ask, and whose word counts for their version. */
export interface CallPolicies {
  /** One `get` a second, for runs that serve; nothing for others. Errors: those of the store. */
  at(run: RunRecord): Promise<CallPolicy>;
}

export function callPolicies(
  store: ArtifactStore,
  now: Clock,
  logger: Logger,
): CallPolicies & { readonly kept: Kept } {
  const logs = new KeptPerScope<PolicyLog>();
  return {
    kept: logs,
    async at(run) {
      const { serve } = run.config;
      if (serve === null) return unversioned(run);
      const log = logs.of(run.runId, () => new PolicyLog(store, run.runId, now));
      const newest = await log.latest(FRESH_MS);
      const place = { run: atAddress(run, newest), model: newest?.model ?? null };
      if (serve.policyVersions === 'trainer')
        return { ...place, versionOf: () => newest?.version ?? null, seen: async () => undefined };
      return { ...place, versionOf: (answered) => answered, seen: (version) => tell(log, version, logger) };
    },
  };
}

/** The endpoint says which weights it has, unless whoever asked for the rollouts said so. */
function unversioned(run: RunRecord): CallPolicy {
  const said = run.requestedBy?.policyVersion ?? null;
  return { run, model: null, versionOf: (answered) => said ?? answered, seen: async () => undefined };
}

function atAddress(run: RunRecord, newest: Policy | null): RunRecord {
  const baseUrl = newest?.baseUrl ?? null;
  return baseUrl === null || baseUrl === run.config.baseUrl
    ? run
    : { ...run, config: { ...run.config, baseUrl, apiKeyEnv: keyAt(run.config, baseUrl) } };
}

/** The feed tells of it too when the rollout is shipped: nothing waits for a store that is away. */
async function tell(log: PolicyLog, version: string | null, logger: Logger): Promise<void> {
  if (version === null) return;
  await log
    .tell({ version, source: 'endpoint' })
    .catch((err: unknown) => logger.debug({ err }, 'a policy version was not told'));
}
