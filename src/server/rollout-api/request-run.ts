import { createHash } from 'node:crypto';
import type { RunConfig } from '../../core/run/run-config.schema.js';
import { keyAt } from '../../model/endpoint.js';
import { isScripted } from '../../model/index.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import type { RequestRecord } from './request-record.schema.js';

const RUN_ID_MAX = 100;
const SEEDS = 2_000_000_000;

/**
 * The run that holds a group that was asked for: a run of mode `process` with one group and the settings of the
 * run that serves. Its ceilings hold for each such run on its own.
 */
export function requestRun(serving: RunRecord, request: RequestRecord): RunRecord {
  return {
    schemaVersion: 1,
    runId: request.runId,
    mode: 'process',
    environment: request.environment,
    config: requestConfig(serving.config, request),
    createdAt: request.createdAt,
    longrunVersion: serving.longrunVersion,
    requestedBy: { runId: serving.runId, policyVersion: request.policy.version },
  };
}

export function requestConfig(
  config: RunConfig,
  { policy, groupSize, seed }: Pick<RequestRecord, 'policy' | 'groupSize' | 'seed'>,
): RunConfig {
  return {
    ...config,
    model: policy.model,
    baseUrl: policy.baseUrl,
    apiKeyEnv: keyAt(config, policy.baseUrl),
    // What a run of before there was a list goes on with is what its own tasks ask for.
    passEnv: config.passEnv ?? [],
    samples: groupSize,
    groupSize,
    groups: 1,
    seed,
    serve: null,
  };
}

/** `<serving run>.<id>`, shortened where that is no id any more. */
export function requestRunId(servingRunId: string, id: string): string {
  const whole = `${servingRunId}.${id}`;
  if (whole.length <= RUN_ID_MAX) return whole;
  const digest = createHash('sha256').update(servingRunId).digest('hex').slice(0, 12);
  return `${servingRunId.slice(0, RUN_ID_MAX - id.length - digest.length - 2)}-${digest}.${id}`;
}

/** One of its own for each group, so that two of the same item are not the same samples; null where none is sent. */
export function seedFor({ seed, model }: Pick<RunConfig, 'seed' | 'model'>, id: string): number | null {
  // Scripted models have no other source of variety.
  if (seed === null && !(model !== null && isScripted(model))) return null;
  const drawn = createHash('sha256')
    .update(`${seed ?? 0}\n${id}`)
    .digest()
    .readUInt32BE();
  return drawn % SEEDS;
}
