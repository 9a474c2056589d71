import { LongrunError } from '../core/errors.js';
import type { AttemptKey, RolloutKey } from '../core/ids.js';
import { afterAskedWait, type Lifecycle, mayGoOn, RetryLater } from '../core/rollout/lifecycle.js';
import type { Failure } from '../core/rollout/outcome.js';
import type { SandboxSpec, Task } from '../core/rollout/task.schema.js';
import { hostControlQueue, hostQueue } from '../core/run/queues.js';
import type { PlaceAnswer, PlaceInput } from '../core/run/workflow-messages.js';
import { SECOND_MS } from '../core/time.js';
import type { Sandbox, SandboxDriver, SandboxOwner } from '../sandbox/sandbox.js';
import { loadBlob } from '../store/blobs.js';
import { keys } from '../store/keys.js';
import { putRecordIfAbsent, readChildren, readRecord } from '../store/records/records.js';
import {
  attemptRecordSchema,
  type Placement,
  placementSchema,
  type RolloutResult,
  type RunRecord,
} from '../store/records/records.schema.js';
import type { Provenance } from '../store/records/replay.schema.js';
import { provenanceOf, readReplayResult } from '../store/replays.js';
import { readRun, readSealedResult, readTask } from '../store/runs.js';
import { resolveEnv } from '../tasks/resolve-env.js';
import { heldByBudget } from './calls/budget-hold.js';
import type { RolloutDeps } from './deps.js';
import { digestOf } from './digest.js';
import { waitHealthy } from './healthcheck.js';
import { persist } from './persist.js';
import { claimAttempt } from './replay/claim-attempt.js';
import { awaitForkSnapshot } from './replay/fork-snapshot.js';
import { prepareSnapshot, snapshotFor } from './replay/snapshots.js';
import { withoutSecrets } from './without-secrets.js';

const WAITED_FOR = new Set(['sandbox_unavailable', 'store_unavailable', 'store_full']);
const TRIES = 3;
const ENDPOINT_DOWN = new LongrunError('model_unavailable', 'the model endpoint is down', {
  retryable: true,
});

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
  const sealed = await endOf(deps, input);
  if (sealed !== null) return { kind: 'sealed', digest: digestOf(sealed) };
  const key: AttemptKey = { ...rolloutKey(input), attempt: await currentAttempt(deps, input) };
  const known = await readRecord(deps.store, placementSchema, keys.placement(key));
  const run = await readRun(deps.store, input.runId);
  if (known !== null) return placed(deps, run, key, known, await stepsOf(deps, input));
  const provenance = await provenanceOf(deps.store, key);
  const hold = provenance?.mode === 'verify' ? null : await heldByBudget(deps, run, key);
  if (hold !== null) return { kind: 'held', hold };
  await holdWhileDown(deps, run);
  if (deps.ledgers.isClosed) throw new RetryLater(DISK_SHORT, DISK_AGAIN_MS);
  const task = await readTask(deps.store, input.runId, input.taskId);
  if (provenance?.mode === 'fork') await awaitForkSnapshot(deps, key, task);
  try {
    const placement = await provision(deps, key, run, task, provenance, lifecycle);
    return placed(deps, run, key, placement, task.evalCriteria.steps.length);
  } catch (error) {
    const failure = failureOf(error, activityAttempt);
    if (failure === null) throw afterAskedWait(error);
    // A health check may print what it was given.
    const message = withoutSecrets({ deps, run, task }, failure.message);
    return {
      kind: 'failed',
      attempt: key.attempt,
      stopReason: 'provision_error',
      failure: { ...failure, message },
    };
  }
}

/**
 * What is known of a rollout before anything is placed: its result, or the sandbox that its open attempt has. Null
 * when it has neither. Asked for without a slot: in a recovered run the sandboxes that wait to be taken up again may
 * fill their host, and then nobody there would ask for placements.
 */
export async function findPlacement(deps: RolloutDeps, rollout: RolloutKey): Promise<PlaceAnswer | null> {
  const sealed = await readSealedResult(deps.store, rollout);
  if (sealed !== null) return { kind: 'sealed', digest: digestOf(sealed) };
  const key: AttemptKey = { ...rolloutKey(rollout), attempt: await openAttempt(deps, rollout) };
  const known = await readRecord(deps.store, placementSchema, keys.placement(key));
  if (known === null) return null;
  const run = await readRun(deps.store, rollout.runId);
  if (known.hostId === deps.hostId) deps.ledgers.of(known.sandbox.driver).adopt(known.sandbox.id);
  return placedAnswer(run, key, known, await stepsOf(deps, rollout));
}

const DISK_SHORT = new LongrunError('store_full', 'the disk is nearly full: no new rollout is started', {
  retryable: true,
});
const DISK_AGAIN_MS = 5 * SECOND_MS;

/** A new sandbox would only wait: its agent's model does not answer. */
async function holdWhileDown(deps: RolloutDeps, run: RunRecord): Promise<void> {
  if (run.config.agent !== 'tool-calling') return;
  const { run: asked } = await deps.policies.at(run);
  const hold = await deps.gateOf(asked).holdsPlacements();
  if (hold !== null) throw new RetryLater(ENDPOINT_DOWN, hold.retryInMs);
}

const rolloutKey = ({ runId, taskId, sample }: RolloutKey): RolloutKey => ({ runId, taskId, sample });

/** What a rollout, or a replay of it, has come to; null while there is something to do. */
function endOf({ store }: RolloutDeps, input: PlaceInput): Promise<RolloutResult | null> {
  return input.replay === undefined
    ? readSealedResult(store, input)
    : readReplayResult(store, input, input.replay);
}

/** The first attempt without a record of its end. */
async function currentAttempt(deps: RolloutDeps, key: PlaceInput): Promise<number> {
  if (key.replay !== undefined) return claimAttempt(deps.store, rolloutKey(key), key.replay);
  return openAttempt(deps, key);
}

/** After those that have ended. */
async function openAttempt(deps: RolloutDeps, key: RolloutKey): Promise<number> {
  const ended = await readChildren(deps.store, attemptRecordSchema, keys.attempts(key), 'attempt.json');
  return ended.reduce((top, { value }) => Math.max(top, value.attempt), 0) + 1;
}

async function stepsOf(deps: RolloutDeps, key: RolloutKey): Promise<number> {
  return (await readTask(deps.store, key.runId, key.taskId)).evalCriteria.steps.length;
}

function placed(
  deps: RolloutDeps,
  run: RunRecord,
  key: AttemptKey,
  placement: Placement,
  steps: number,
): PlaceAnswer {
  if (placement.hostId === deps.hostId)
    deps.ledgers.of(placement.sandbox.driver).convert(placement.sandbox.id);
  return placedAnswer(run, key, placement, steps);
}

function placedAnswer(run: RunRecord, key: AttemptKey, placement: Placement, steps: number): PlaceAnswer {
  return {
    kind: 'placed',
    attempt: key.attempt,
    steps,
    hostQueue: hostQueue(placement.hostId),
    controlQueue: hostControlQueue(placement.hostId),
    hostLoss: { hostId: placement.hostId, afterMs: run.config.hostLossMs },
  };
}

async function provision(
  deps: RolloutDeps,
  key: AttemptKey,
  run: RunRecord,
  task: Task,
  provenance: Provenance | null,
  lifecycle: Lifecycle,
): Promise<Placement> {
  const begun = deps.now();
  const driver = driverOf(deps, run);
  const spec = specOf(deps, run, task);
  const { image } = spec;
  const snapshot = provenance === null ? null : await snapshotFor(deps, key, task, provenance);
  const kept = snapshot === null ? null : await prepareSnapshot(deps, driver, snapshot);
  const load = () =>
    image.kind === 'dockerfile' ? loadBlob(deps.store, image.context) : Promise.resolve(new Uint8Array());
  const name = kept ?? (await driver.prepareImage(image, load, lifecycle.cancelled));
  mayGoOn(lifecycle);
  await deps.atCheckpoint('provisioning:before', key);
  const owner: SandboxOwner = ownerOf(deps, key, 'agent');
  const sandbox = await driver.create({ image: name, spec, owner }, lifecycle.cancelled);
  deps.ledgers.of(sandbox.ref.driver).convert(sandbox.ref.id);
  try {
    if (spec.healthcheck !== null) await waitHealthy(sandbox, spec.healthcheck, lifecycle);
    await deps.atCheckpoint('provisioning:effect', key);
    const made = { image: name, fromSnapshot: kept !== null };
    const placement = await settle(deps, key, sandbox, made, begun, lifecycle);
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
  made: Pick<Placement, 'image' | 'fromSnapshot'>,
  begun: number,
  lifecycle: Lifecycle,
): Promise<Placement> {
  const mine: Placement = {
    schemaVersion: 1,
    hostId: deps.hostId,
    sandbox: sandbox.ref,
    ...made,
    createdAt: deps.now(),
    provisionMs: deps.now() - begun,
  };
  const put = () => putRecordIfAbsent(deps.store, placementSchema, keys.placement(key), mine);
  // A write that failed may have arrived all the same: the sandbox is held until it is known whose record counts.
  const { value } = await persist(put, lifecycle.cancelled);
  if (value.sandbox.id !== sandbox.ref.id) await discard(deps, sandbox);
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
  const env = resolveEnv(asked.env, deps.hostEnvOf(run));
  return { ...asked, network: run.config.network ?? asked.network, env };
}

export function ownerOf(deps: RolloutDeps, key: AttemptKey, role: SandboxOwner['role']): SandboxOwner {
  const { clusterId, namespace, hostId } = deps;
  return { clusterId, namespace, hostId, ...key, role };
}

/** The end of the attempt, or null when trying the activity again may help. */
function failureOf(error: unknown, activityAttempt: number): Failure | null {
  if (!LongrunError.is(error) || error.code === 'cancelled') return null;
  // An engine that is being restarted, a store that is away: placing waits for it, and no attempt is spent meanwhile.
  if (WAITED_FOR.has(error.code)) return null;
  // An image that was cleared away after it had been made ready is made again, one whose registry is in trouble pulled.
  const permanent = !error.retryable;
  if (!permanent && activityAttempt < TRIES) return null;
  const log = typeof error.details.log === 'string' ? `\n${error.details.log}` : '';
  return {
    code: error.code,
    message: `${error.message}${log}`.slice(0, 2_000),
    retryable: !permanent,
    hint: error.hint ?? null,
  };
}
