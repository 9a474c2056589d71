import { LongrunError } from '../core/errors.js';
import type { Fence } from '../core/fence.js';
import { compareFences } from '../core/fence.js';
import type { AttemptKey } from '../core/ids.js';
import { totalTokens } from '../core/usage.js';
import type { SliceAnswer } from '../core/workflow-messages.js';
import { loadBlob } from '../store/blobs.js';
import { highestFence } from '../store/fence-store.js';
import { keys } from '../store/keys.js';
import { putRecordIfAbsent, readRecord } from '../store/records.js';
import { type AgentEnd, agentEndSchema } from '../store/records.schema.js';
import { runAgent } from './agent-kinds.js';
import { type AttemptContext, openAttempt } from './attempt-context.js';
import type { RolloutDeps } from './deps.js';
import { waitHealthy } from './healthcheck.js';
import { Detached, type Lifecycle } from './lifecycle.js';
import { lossOf, OUTSIDE_LOSS } from './sandbox-loss.js';
import { readStepHistory } from './step-history.js';
import type { LoopEnd } from './turn-loop.js';

/**
 * The agent's part of one step, a slice at a time. Durability does not depend on the slice: every
 * call has its record, and the answer is recomputed from records, never from what this slice did.
 */
export async function runSlice(
  deps: RolloutDeps,
  key: AttemptKey,
  step: number,
  fence: Fence,
  lifecycle: Lifecycle,
): Promise<SliceAnswer> {
  const known = await readRecord(deps.store, agentEndSchema, keys.agentEnd(key, step));
  if (known !== null) return answer(deps, key, step, known);
  let context: AttemptContext | null = null;
  let end: LoopEnd | null;
  try {
    context = await openAttempt(deps, key, step, fence, lifecycle);
    await beginStep(context);
    end = await runAgent(context, deps.now() + deps.sliceMs);
  } catch (error) {
    if (error instanceof Detached) return answer(deps, key, step, null);
    if (!LongrunError.is(error, 'sandbox_gone')) throw error;
    await refuseIfFenced(deps, key, fence);
    end = context === null ? OUTSIDE_LOSS : await lossOf(context.sandbox);
  }
  return answer(deps, key, step, end === null ? null : await recordEnd(deps, key, step, end));
}

/** Files that a later step of a task brings along, and its health check; idempotent. */
async function beginStep({
  deps,
  stepSpec,
  sandbox,
  task,
  guard,
  lifecycle,
  key,
  step,
}: AttemptContext): Promise<void> {
  if (stepSpec.workdirFiles === null && stepSpec.healthcheck === null) return;
  const begun = `${keys.step(key, step)}/begun`;
  if ((await deps.store.get(begun)) !== null) return;
  if (stepSpec.workdirFiles !== null) {
    await guard();
    const tar = await loadBlob(deps.store, stepSpec.workdirFiles);
    await sandbox.putArchive(task.metadata.sandbox.workdir ?? '/', tar);
  }
  if (stepSpec.healthcheck !== null) await waitHealthy(sandbox, stepSpec.healthcheck, lifecycle);
  await deps.store.putIfAbsent(begun, new Uint8Array());
}

async function refuseIfFenced(deps: RolloutDeps, key: AttemptKey, fence: Fence): Promise<void> {
  const highest = await highestFence(deps.store, key);
  if (highest !== null && compareFences(highest, fence) > 0)
    throw new LongrunError('fenced', 'a newer executor has taken over');
}

async function recordEnd(deps: RolloutDeps, key: AttemptKey, step: number, end: LoopEnd): Promise<AgentEnd> {
  const history = await readStepHistory(deps.store, key, step);
  const record: AgentEnd = {
    schemaVersion: 1,
    stopReason: end.stopReason,
    failure: end.failure,
    turns: history.turns.length,
    activeMs: history.modelMs + history.toolsMs,
    endedAt: deps.now(),
  };
  return (await putRecordIfAbsent(deps.store, agentEndSchema, keys.agentEnd(key, step), record)).value;
}

async function answer(
  deps: RolloutDeps,
  key: AttemptKey,
  step: number,
  end: AgentEnd | null,
): Promise<SliceAnswer> {
  const history = await readStepHistory(deps.store, key, step);
  return {
    done: end !== null,
    turns: history.turns.length,
    tokens: totalTokens(history.usage),
    stopReason: end?.stopReason ?? null,
  };
}
