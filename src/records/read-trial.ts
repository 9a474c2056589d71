import type { AttemptKey } from '../core/ids.js';
import type { ChatMessage, ToolSchema } from '../core/model/messages.js';
import type { Task } from '../core/rollout/task.schema.js';
import { type Trajectory, trajectorySchema } from '../core/trajectory/trajectory.schema.js';
import type { TrialRecords, TrialStep } from '../formats/harbor-job/trial-records.js';
import { keys } from '../store/keys.js';
import { readChildren, readRecord } from '../store/records/records.js';
import { attemptRecordSchema, type RolloutResult, verdictSchema } from '../store/records/records.schema.js';
import { trajectoryKey } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';
import { readTurns } from './read-turns.js';

/** All records of a sealed rollout: what an export of it needs. */
export async function readTrial(
  store: ArtifactStore,
  runId: string,
  task: Task,
  result: RolloutResult,
): Promise<TrialRecords> {
  const rollout = { runId, taskId: result.taskId, sample: result.sample };
  const attempts = await readChildren(store, attemptRecordSchema, keys.attempts(rollout), 'attempt.json');
  const trajectory = await readRecord(store, trajectorySchema, trajectoryKey(runId, result));
  return {
    task,
    result,
    attempts: attempts.map((child) => child.value).sort((a, b) => a.attempt - b.attempt),
    steps: await readTrialSteps(store, { ...rollout, attempt: result.attempt }, task, trajectory),
  };
}

async function readTrialSteps(
  store: ArtifactStore,
  key: AttemptKey,
  task: Task,
  trajectory: Trajectory | null,
): Promise<TrialStep[]> {
  const steps: TrialStep[] = [];
  let turnsBefore = 0;
  for (const [i, { name }] of task.evalCriteria.steps.entries()) {
    const turns = await readTurns(store, key, i);
    const verdict = await readRecord(store, verdictSchema, keys.verdict(key, i));
    // Later steps that were not reached have neither; the first is kept, so that every trial has one.
    if (i > 0 && turns.length === 0 && verdict === null) break;
    const corrections = turns.slice(1).map((_, turn) => toldBefore(trajectory, turnsBefore + turn + 1));
    const tools = toolsAt(trajectory, turnsBefore);
    steps.push({ name, turns, verdict, prompt: toldBefore(trajectory, turnsBefore), tools, corrections });
    turnsBefore += turns.length;
  }
  return steps;
}

/** What was said before the answer of a turn: the trajectory holds it where the turn begins. */
function toldBefore(trajectory: Trajectory | null, turn: number): ChatMessage[] {
  const told: ChatMessage[] = [];
  for (const message of trajectory?.timesteps[turn]?.chats.flatMap((chat) => chat.messages) ?? []) {
    if (message.role !== 'system' && message.role !== 'user') break;
    if (typeof message.content === 'string') told.push({ ...message, content: message.content });
  }
  return told;
}

function toolsAt(trajectory: Trajectory | null, turn: number): ToolSchema[] {
  const schemas = trajectory?.timesteps[turn]?.availableToolSchemas ?? [];
  return schemas.map((schema) => schema.function as ToolSchema);
}
