import { LongrunError } from '../core/errors.js';
import type { AttemptKey, RolloutKey } from '../core/ids.js';
import type { Failure } from '../core/outcome.js';
import { hostControlQueue, hostQueue } from '../core/queues.js';
import type { SandboxSpec, Task } from '../core/task.schema.js';
import type { PlaceAnswer, PlaceInput } from '../core/workflow-messages.js';
import type { Sandbox, SandboxDriver, SandboxOwner } from '../sandbox/sandbox.js';
import { loadBlob } from '../store/blobs.js';
import { keys } from '../store/keys.js';
import { putRecordIfAbsent, readChildren, readRecord } from '../store/records.js';
import {
  attemptRecordSchema,
  type Placement,
  placementSchema,
  type RunRecord,
} from '../store/records.schema.js';
import { readResult, readRun, readTask } from '../store/runs.js';
import { resolveEnv } from '../tasks/resolve-env.js';
import { holdForBudget } from './budget-hold.js';
import type { RolloutDeps } from './deps.js';
import { digestOf } from './digest.js';
import { waitHealthy } from './healthcheck.js';
import { type Lifecycle, mayGoOn } from './lifecycle.js';

/** Errors of provisioning that the same inputs would only repeat. */
const PERMANENT = new Set([
  'image_build_failed',
  'image_missing',
  'task_invalid',
  'bad_input',
  'archive_refused',
]);
const TRIES = 3;

/**
 * Wins this host for an attempt: finds its sandbox or makes one, and settles which one counts by a
 * put-if-absent record. A sealed rollout answers its result, so starting twice is harmless.
 */
export async function placeSandbox(
  deps: RolloutDeps,
  input: PlaceInput,
  activityAttempt: number,
  lifecycle: Lifecycle,
): Promise<PlaceAnswer> {
  const sealed = await readResult(deps.store, input);
  if (sealed !== null) return { kind: 'sealed', digest: digestOf(sealed) };
  const key: AttemptKey = { ...rolloutKey(input), attempt: await currentAttempt(deps, input) };
  const known = await readRecord(deps.store, placementSchema, keys.placement(key));
  if (known !== null) return placed(deps, key, known, await stepsOf(deps, input));
  const run = await readRun(deps.store, input.runId);
  await holdForBudget(deps, run);
  try {
    const task = await readTask(deps.store, input.runId, input.taskId);
    const placement = await provision(deps, key, run, task, lifecycle);
    return placed(deps, key, placement, task.evalCriteria.steps.length);
  } catch (error) {
    const failure = failureOf(error, activityAttempt);
    if (failure === null) throw error;
    return { kind: 'failed', attempt: key.attempt, stopReason: 'provision_error', failure };
  }
}

const rolloutKey = ({ runId, taskId, sample }: RolloutKey): RolloutKey => ({ runId, taskId, sample });

/** The first attempt without a record of its end. */
async function currentAttempt(deps: RolloutDeps, key: RolloutKey): Promise<number> {
  const ended = await readChildren(deps.store, attemptRecordSchema, keys.attempts(key), 'attempt.json');
  return ended.reduce((top, { value }) => Math.max(top, value.attempt), 0) + 1;
}

async function stepsOf(deps: RolloutDeps, key: RolloutKey): Promise<number> {
  return (await readTask(deps.store, key.runId, key.taskId)).evalCriteria.steps.length;
}

function placed(deps: RolloutDeps, key: AttemptKey, placement: Placement, steps: number): PlaceAnswer {
  if (placement.hostId === deps.hostId)
    deps.ledgers.of(placement.sandbox.driver).convert(placement.sandbox.id);
  return {
    kind: 'placed',
    attempt: key.attempt,
    steps,
    hostQueue: hostQueue(placement.hostId),
    controlQueue: hostControlQueue(placement.hostId),
  };
}

async function provision(
  deps: RolloutDeps,
  key: AttemptKey,
  run: RunRecord,
  task: Task,
  lifecycle: Lifecycle,
): Promise<Placement> {
  const begun = deps.now();
  const driver = driverOf(deps, run);
  const spec = specOf(deps, run, task);
  const { image } = spec;
  const name = await driver.prepareImage(
    image,
    () =>
      image.kind === 'dockerfile' ? loadBlob(deps.store, image.context) : Promise.resolve(new Uint8Array()),
    lifecycle.cancelled,
  );
  mayGoOn(lifecycle);
  await deps.atCheckpoint('provisioning:before', key);
  const owner: SandboxOwner = ownerOf(deps, key, 'agent');
  const sandbox = await driver.create({ image: name, spec, owner }, lifecycle.cancelled);
  deps.ledgers.of(sandbox.ref.driver).convert(sandbox.ref.id);
  try {
    if (spec.healthcheck !== null) await waitHealthy(sandbox, spec.healthcheck, lifecycle);
    await deps.atCheckpoint('provisioning:effect', key);
    const placement = await settle(deps, key, sandbox, name, begun);
    await deps.atCheckpoint('provisioning:recorded', key);
    return placement;
  } catch (error) {
    await discard(deps, sandbox);
    throw error;
  }
}

/** The first record counts; the loser of a race destroys its own sandbox. */
async function settle(
  deps: RolloutDeps,
  key: AttemptKey,
  sandbox: Sandbox,
  image: string,
  begun: number,
): Promise<Placement> {
  const mine: Placement = {
    schemaVersion: 1,
    hostId: deps.hostId,
    sandbox: sandbox.ref,
    image,
    createdAt: deps.now(),
    provisionMs: deps.now() - begun,
  };
  const { won, value } = await putRecordIfAbsent(deps.store, placementSchema, keys.placement(key), mine);
  if (!won) await discard(deps, sandbox);
  return value;
}

export async function discard(deps: RolloutDeps, sandbox: Sandbox): Promise<void> {
  await sandbox.destroy();
  deps.ledgers.of(sandbox.ref.driver).drop(sandbox.ref.id);
}

export function driverOf(deps: RolloutDeps, run: RunRecord): SandboxDriver {
  const driver = deps.drivers.get(run.config.sandbox);
  if (driver) return driver;
  throw new LongrunError('sandbox_unavailable', `this host has no ${run.config.sandbox} sandboxes`, {
    retryable: true,
  });
}

/** What the task asks for, with the run's overrides and the host's values of its environment variables. */
export function specOf(deps: RolloutDeps, run: RunRecord, task: Task, spec?: SandboxSpec): SandboxSpec {
  const asked = spec ?? deps.environmentOf(run).sandbox(task);
  return { ...asked, network: run.config.network ?? asked.network, env: resolveEnv(asked.env, process.env) };
}

export function ownerOf(deps: RolloutDeps, key: AttemptKey, role: SandboxOwner['role']): SandboxOwner {
  const { clusterId, namespace, hostId } = deps;
  return { clusterId, namespace, hostId, ...key, role };
}

/** The end of the attempt, or null when trying the activity again may help. */
function failureOf(error: unknown, activityAttempt: number): Failure | null {
  if (!LongrunError.is(error) || error.code === 'cancelled') return null;
  // An engine that is being restarted: placing waits for it, and no attempt is spent meanwhile.
  if (error.code === 'sandbox_unavailable') return null;
  const permanent = PERMANENT.has(error.code) || !error.retryable;
  if (!permanent && activityAttempt < TRIES) return null;
  const log = typeof error.details.log === 'string' ? `\n${error.details.log}` : '';
  return {
    code: error.code,
    message: `${error.message}${log}`.slice(0, 2_000),
    retryable: !permanent,
    hint: error.hint ?? null,
  };
}
