import { z } from 'zod';
import { badInput, LongrunError } from '../core/errors.js';
import { parseRolloutId, type RolloutKey } from '../core/ids.js';
import { taskSchema } from '../core/rollout/task.schema.js';
import { closest } from '../core/text/closest.js';
import { timeStepSchema } from '../core/trajectory/trajectory.schema.js';
import { openStore } from '../store/index.js';
import { feedbackSchema } from '../store/records/feedback.schema.js';
import {
  attemptRecordSchema,
  oracleRunSchema,
  type Plan,
  type RunRecord,
  rolloutResultSchema,
  verdictSchema,
} from '../store/records/records.schema.js';
import { readPlan, readRun } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';
import { toWire } from '../store/wire/wire.js';
import { type RolloutView, readRollout } from './read-rollout.js';

const rolloutViewSchema = z.object({
  rolloutId: z.string(),
  task: taskSchema,
  result: rolloutResultSchema.nullable(),
  attempts: z.array(attemptRecordSchema),
  attempt: z.number().nullable(),
  timesteps: z.array(timeStepSchema),
  verdicts: z.array(verdictSchema),
  oracle: z.array(oracleRunSchema),
  feedback: z.array(feedbackSchema),
});

/** A rollout by the id that people type. Errors: `bad_input` (no such form), `not_found`. */
export async function loadRollout(
  stateDir: string,
  id: string,
  attempt?: number,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ view: RolloutView; passThreshold: number }> {
  const { store, key, run } = await findRollout(stateDir, id, env);
  return { view: await readRollout(store, key, attempt), passThreshold: run.config.passThreshold };
}

/** The rollout of an id, in the store that has it. Errors: `bad_input` (no such form), `not_found`. */
export async function findRollout(
  stateDir: string,
  id: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ store: ArtifactStore; run: RunRecord; key: RolloutKey }> {
  const key = parseRolloutId(id);
  if (key === null) {
    throw badInput(
      `"${id}" is not the id of a rollout.`,
      'It has the form run/task/sample; longrun runs show <run> lists them.',
    );
  }
  const store = await openStore(stateDir, env);
  const run = await readRun(store, key.runId);
  refuseUnplanned(await readPlan(store, key.runId), key);
  return { store, run, key };
}

function refuseUnplanned({ tasks }: Plan, { runId, taskId, sample }: RolloutKey): void {
  const task = tasks.find((candidate) => candidate.taskId === taskId);
  if (task && sample < task.samples) return;
  const meant = closest(
    taskId,
    tasks.map((planned) => planned.taskId),
  );
  throw new LongrunError(
    'not_found',
    task ? `run ${runId} has no sample ${sample} of ${taskId}` : `run ${runId} has no task ${taskId}`,
    {
      hint: task
        ? `Its samples go from 0 to ${task.samples - 1}.`
        : meant
          ? `Did you mean ${meant}?`
          : `longrun runs show ${runId} lists them.`,
      details: { runId, taskId, sample },
    },
  );
}

/** `rollouts show --json`. */
export function rolloutDocument(view: RolloutView): unknown {
  return toWire(rolloutViewSchema, view);
}
