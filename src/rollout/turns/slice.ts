import { LongrunError } from '../../core/errors.js';
import type { AttemptKey } from '../../core/ids.js';
import type { Fence } from '../../core/rollout/fence.js';
import { Detached, type Lifecycle } from '../../core/rollout/lifecycle.js';
import { totalTokens } from '../../core/rollout/usage.js';
import type { SliceAnswer } from '../../core/run/workflow-messages.js';
import { loadBlob } from '../../store/blobs.js';
import { assertFence } from '../../store/fence-store.js';
import { keys } from '../../store/keys.js';
import { putRecordIfAbsent, readRecord } from '../../store/records/records.js';
import { type AgentEnd, agentEndSchema } from '../../store/records/records.schema.js';
import type { AttemptContext } from '../attempt-context.js';
import { BudgetHeld } from '../calls/budget-hold.js';
import type { RolloutDeps } from '../deps.js';
import { sickness } from '../healthcheck.js';
import { openAttempt } from '../open-attempt.js';
import { carryTurns } from '../replay/carry-turns.js';
import { lossOf, OUTSIDE_LOSS } from '../sandbox-loss.js';
import { runAgent } from './agent-kinds.js';
import { endLateProcesses } from './end-late-processes.js';
import { StepReader } from './step-history.js';
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
  const reader = new StepReader(deps.store, key, step);
  const known = await readRecord(deps.store, agentEndSchema, keys.agentEnd(key, step));
  if (known !== null) return answer(reader, known);
  let context: AttemptContext | null = null;
  let end: LoopEnd | null;
  try {
    context = await openAttempt(deps, key, step, fence, lifecycle);
    end = await act(context, reader, deps.now() + deps.sliceMs);
    if (end?.stopReason === 'wall_timeout') await endLateProcesses(context);
  } catch (error) {
    if (error instanceof Detached) return answer(reader, null);
    if (error instanceof BudgetHeld) return { ...(await answer(reader, null)), held: error.hold };
    if (!LongrunError.is(error, 'sandbox_gone')) throw error;
    await assertFence(deps.store, key, fence);
    end = context === null ? OUTSIDE_LOSS : await lossOf(context.sandbox);
  }
  return answer(reader, end === null ? null : await recordEnd(deps, key, step, reader, end));
}

/** What a replay carries over comes first, then the agent. */
async function act(context: AttemptContext, reader: StepReader, untilMs: number): Promise<LoopEnd | null> {
  const sick = await beginStep(context);
  if (sick !== null) return sick;
  const carried = await carryTurns(context, untilMs);
  if (carried.kind === 'more') return null;
  return carried.kind === 'ended' ? carried.end : runAgent(context, reader, untilMs);
}

/** Files that a step brings along, and its health check; idempotent. Answers an end when that never passes. */
async function beginStep({
  deps,
  stepSpec,
  sandbox,
  task,
  guard,
  lifecycle,
  key,
  step,
  placement,
}: AttemptContext): Promise<LoopEnd | null> {
  if (stepSpec.workdirFiles === null && stepSpec.healthcheck === null) return null;
  const begun = `${keys.step(key, step)}/begun`;
  if (await deps.store.has(begun)) return null;
  // A snapshot has them already, as the agent left them.
  if (stepSpec.workdirFiles !== null && !placement.fromSnapshot) {
    await guard();
    const tar = await loadBlob(deps.store, stepSpec.workdirFiles);
    await sandbox.putArchive(task.metadata.sandbox.workdir ?? '/', tar);
  }
  const sick =
    stepSpec.healthcheck === null ? null : await sickness(sandbox, stepSpec.healthcheck, lifecycle);
  if (sick !== null) return { stopReason: 'provision_error', failure: sick };
  await deps.store.putIfAbsent(begun, new Uint8Array(), 'process');
  return null;
}

async function recordEnd(
  deps: RolloutDeps,
  key: AttemptKey,
  step: number,
  reader: StepReader,
  end: LoopEnd,
): Promise<AgentEnd> {
  const history = await reader.read();
  const record: AgentEnd = {
    schemaVersion: 1,
    stopReason: end.stopReason,
    failure: end.failure,
    turns: history.turns.length,
    activeMs: history.modelMs + history.toolsMs,
    endedAt: deps.now(),
  };
  return (await putRecordIfAbsent(deps.store, agentEndSchema, keys.agentEnd(key, step), record, 'process'))
    .value;
}

async function answer(reader: StepReader, end: AgentEnd | null): Promise<SliceAnswer> {
  const history = await reader.read();
  return {
    done: end !== null,
    turns: history.turns.length,
    tokens: totalTokens(history.usage),
    stopReason: end?.stopReason ?? null,
  };
}
