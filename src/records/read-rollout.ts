import { corrections } from '../agent/tool-calling/corrections.js';
import { LongrunError } from '../core/errors.js';
import { type AttemptKey, type RolloutKey, rolloutId } from '../core/ids.js';
import type { Task } from '../core/rollout/task.schema.js';
import { type TimeStep, trajectorySchema } from '../core/trajectory/trajectory.schema.js';
import { withAdvantages } from '../formats/advantages.js';
import { type RecordedStep, timeSteps } from '../formats/trajectory.js';
import { keys } from '../store/keys.js';
import { type Feedback, feedbackSchema } from '../store/records/feedback.schema.js';
import { readChildren, readRecord } from '../store/records/records.js';
import {
  type AttemptRecord,
  attemptRecordSchema,
  type OracleRun,
  oracleRunSchema,
  type RolloutResult,
  type Verdict,
  verdictSchema,
} from '../store/records/records.schema.js';
import { readResult, readRun, readTask, trajectoryKey } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';
import { readMembership } from './read-group.js';
import { readTurns } from './read-turns.js';

/** Everything there is to see of one rollout. Null `result`: it is still open. */
export interface RolloutView {
  rolloutId: string;
  task: Task;
  result: RolloutResult | null;
  /** The attempts that ended, oldest first. */
  attempts: AttemptRecord[];
  /** The attempt whose conversation, oracle and verdicts these are; null before the first. */
  attempt: number | null;
  timesteps: TimeStep[];
  /** How the reference solution went, per step; empty unless the agent was `oracle`. */
  oracle: OracleRun[];
  verdicts: Verdict[];
  /** What people said of the rollout, oldest first. */
  feedback: Feedback[];
}

/**
 * Reads a rollout: the attempt that counts, the newest one of an open rollout, or the one asked for.
 * Errors: `not_found` for a rollout or attempt that the run does not have.
 */
export async function readRollout(
  store: ArtifactStore,
  key: RolloutKey,
  wanted?: number,
): Promise<RolloutView> {
  const task = await readTask(store, key.runId, key.taskId);
  const result = await readResult(store, key);
  const ended = await readChildren(store, attemptRecordSchema, keys.attempts(key), 'attempt.json');
  const attempts = ended.map((child) => child.value).sort((a, b) => a.attempt - b.attempt);
  const started = (await store.children(keys.attempts(key))).map(Number);
  const attempt = wanted ?? result?.attempt ?? (started.length === 0 ? null : Math.max(...started));
  if (wanted !== undefined && !started.includes(wanted)) {
    const known =
      started.length === 0 ? 'It has none yet.' : `It has: ${started.sort((a, b) => a - b).join(', ')}`;
    throw new LongrunError('not_found', `${rolloutId(key)} has no attempt ${wanted}`, { hint: known });
  }
  const said = await readChildren(store, feedbackSchema, keys.feedbacks(key));
  const feedback = said.map(({ value }) => value);
  const view = { rolloutId: rolloutId(key), task, result, attempts, attempt, feedback };
  if (attempt === null) return { ...view, timesteps: [], oracle: [], verdicts: [] };
  const attemptKey = { ...key, attempt };
  const stored =
    result?.attempt === attempt
      ? await readRecord(store, trajectorySchema, trajectoryKey(key.runId, result))
      : null;
  const recorded = stored?.timesteps ?? timeSteps(await readSteps(store, attemptKey, task));
  const run = await readRun(store, key.runId);
  const membership = await readMembership(store, run, { ...key, attempt });
  const timesteps =
    membership === null ? recorded : withAdvantages(recorded, membership.member.advantages, run.config.gamma);
  const [oracle, verdicts] = await Promise.all([
    readPerStep(task, (i) => readRecord(store, oracleRunSchema, keys.oracle(attemptKey, i))),
    readPerStep(task, (i) => readRecord(store, verdictSchema, keys.verdict(attemptKey, i))),
  ]);
  return { ...view, timesteps, oracle, verdicts };
}

/** The recorded steps of an attempt that has no trajectory: it still runs, or does not count. */
async function readSteps(store: ArtifactStore, key: AttemptKey, task: Task): Promise<RecordedStep[]> {
  const steps = task.evalCriteria.steps.map(async ({ instruction }, i): Promise<RecordedStep> => {
    const turns = await readTurns(store, key, i);
    const prompt = [{ role: 'user', content: instruction, label: 'task' } as const];
    return { prompt, tools: [], turns, corrections: corrections(turns) };
  });
  return Promise.all(steps);
}

/** What the steps have of one kind of record; those that were not reached have none. */
async function readPerStep<T>(task: Task, read: (step: number) => Promise<T | null>): Promise<T[]> {
  const found = await Promise.all(task.evalCriteria.steps.map((_, i) => read(i)));
  return found.filter((record) => record !== null);
}
