import { createHash } from 'node:crypto';
import { limitsMoney } from '../../core/budget/budget-ceilings.js';
import type { RunConfig } from '../../core/run/run-config.schema.js';
import { checkTokenApi } from '../../model/check-token-api.js';
import { isScripted } from '../../model/index.js';
import { refusedEndpoint } from '../../model/policy-origins.js';
import { requireModel } from '../../model/registry.js';
import { requirePrice } from '../../model/require-price.js';
import { parseScriptedName } from '../../model/scripted/scripted-name.js';
import { checkIsolation } from '../../runs/check-isolation.js';
import { requireVariables } from '../../runs/host-variables.js';
import { requireNetwork } from '../../runs/require-network.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import type { Policy } from '../../store/records/serve.schema.js';
import type { LoadedTask } from '../../tasks/environment.js';
import type { RolloutApiDeps } from './deps.js';
import { takeItems } from './items.js';
import { type Offered, type OfferedEnvironments, requireItem } from './offered-environments.js';
import { RefusedRequest } from './refused-request.js';
import type { RequestRecord } from './request-record.schema.js';
import { requestConfig, requestRunId, seedFor } from './request-run.js';
import type { RolloutRequest } from './requests.schema.js';

/** What is asked for, whoever asks and however long it waits. */
export function digestOf({ id: _id, wait: _wait, ...asked }: RolloutRequest): string {
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
}

/**
 * Settles what a request leaves open (item, model, version), so that it means the same ever after. Everything that
 * bad input can break is checked, an item is taken last. Errors: `bad_input`, `model_unknown`, `task_invalid`.
 */
export async function settleRequest(
  deps: RolloutApiDeps,
  environments: OfferedEnvironments,
  serving: RunRecord,
  id: string,
  asked: RolloutRequest,
): Promise<RequestRecord> {
  const offered = await environments.get(asked.environment);
  if (asked.item !== null) requireItem(offered, asked.item);
  refuseEndpoint(serving.config, asked.policy);
  const policy = settlePolicy(serving, asked.policy, await deps.policies.latest());
  const groupSize = asked.groupSize ?? serving.config.groupSize ?? 1;
  refuseHopeless(serving.config, groupSize);
  const seed = asked.seed ?? seedFor({ ...serving.config, model: policy.model }, id);
  const config = requestConfig(serving.config, { policy, groupSize, seed });
  if (config.agent === 'tool-calling') {
    const model = requireModel(config);
    if (isScripted(model)) parseScriptedName(model);
    await checkTokenApi(model, config);
    if (limitsMoney(config)) requirePrice(config);
  }
  const taskId = asked.item ?? (await nextItem(deps, offered, asked.consumer));
  const loaded = await offered.load(taskId);
  requireVariables(offered.environment.name, [loaded], config, deps.env);
  if (!offered.own) await requireRunnable(loaded, config);
  const { name, source } = offered.environment;
  return {
    schemaVersion: 1,
    id,
    runId: requestRunId(serving.runId, id),
    digest: digestOf(asked),
    environment: { name, source },
    taskId,
    groupSize,
    policy,
    seed,
    createdAt: deps.now(),
  };
}

/** A group that could never have enough scored members would be paid for in vain. */
function refuseHopeless({ groupPolicy, minValid }: RunConfig, groupSize: number): void {
  if (groupPolicy !== 'min-valid' || minValid === null || minValid <= groupSize) return;
  const accepted = `a whole number from ${minValid} on`;
  throw new RefusedRequest(
    `group_size: no group of ${groupSize} could be valid, as ${minValid} members need a score; accepted is ${accepted}`,
    'group_size',
    accepted,
  );
}

function refuseEndpoint(config: RunConfig, asked: RolloutRequest['policy']): void {
  const baseUrl = asked?.baseUrl ?? null;
  const refused = baseUrl === null ? null : refusedEndpoint(config, baseUrl);
  if (refused === null) return;
  const { why, accepted } = refused;
  throw new RefusedRequest(`policy.base_url: ${why}; accepted is ${accepted}`, 'policy.base_url', accepted);
}

async function nextItem(deps: RolloutApiDeps, offered: Offered, consumer: string): Promise<string> {
  const position = await takeItems(deps, offered, consumer, 1);
  return offered.taskIds[position % offered.taskIds.length] as string;
}

/** What the launch of the serving run has checked of its own tasks. */
async function requireRunnable(loaded: LoadedTask, config: RunRecord['config']): Promise<void> {
  await requireNetwork([loaded.task], config);
  await checkIsolation([loaded], config);
}

/** An endpoint or model that the request names has the version that it names, or says its own. */
function settlePolicy(
  { config }: RunRecord,
  asked: RolloutRequest['policy'],
  latest: Policy | null,
): RequestRecord['policy'] {
  const told = config.serve?.policyVersions === 'endpoint' ? null : (latest?.version ?? null);
  const ownEndpoint = asked !== null && (asked.model !== null || asked.baseUrl !== null);
  return {
    version: asked?.version ?? (ownEndpoint ? null : told),
    model: asked?.model ?? latest?.model ?? config.model,
    baseUrl: asked?.baseUrl ?? latest?.baseUrl ?? config.baseUrl,
  };
}
