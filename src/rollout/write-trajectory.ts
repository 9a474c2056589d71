import { opening } from '../agent/tool-calling/conversation.js';
import { corrections } from '../agent/tool-calling/corrections.js';
import type { AttemptKey } from '../core/ids.js';
import type { Task } from '../core/rollout/task.schema.js';
import { type Trajectory, trajectorySchema } from '../core/trajectory/trajectory.schema.js';
import type { TrialStep } from '../formats/harbor-job/trial-records.js';
import { assembleTrajectory, type RecordedStep } from '../formats/trajectory.js';
import { writeRecord } from '../store/records/records.js';
import type { AttemptRecord, RunRecord } from '../store/records/records.schema.js';
import { readSteps } from './attempt-record.js';
import type { RolloutDeps } from './deps.js';
import { agentContextOf } from './turns/agent-context.js';

/** What the record of an attempt was made of. */
export interface WrittenTrajectory {
  trajectory: Trajectory;
  /** Those that were reached. */
  steps: (RecordedStep & Pick<TrialStep, 'name' | 'verdict'>)[];
}

/** Assembles the trajectory of the attempt that counts from its turns; one without any turn still gets one. */
export async function writeTrajectory(
  deps: RolloutDeps,
  key: AttemptKey,
  run: RunRecord,
  task: Task,
  attempt: AttemptRecord,
  at: string,
): Promise<WrittenTrajectory> {
  const environment = deps.environmentOf(run);
  const { agent, model, seed } = run.config;
  const asksModel = agent === 'tool-calling';
  const recorded = await readSteps(deps.store, key, task);
  const steps = recorded.map(({ history, verdict }, step) => {
    const context = agentContextOf(environment, run, task, step);
    const prompt = opening(context);
    return {
      name: task.evalCriteria.steps[step]?.name ?? String(step),
      verdict,
      // The others ask no model: nobody was sent a system prompt.
      prompt: asksModel ? prompt : prompt.filter((message) => message.role === 'user'),
      tools: asksModel ? context.tools.map((tool) => tool.schema) : [],
      turns: history.turns,
      corrections: corrections(history.turns),
    };
  });
  const trajectory = assembleTrajectory({
    rollout: key,
    task,
    attempt,
    model: asksModel ? model : null,
    seed: seed === null ? null : seed + key.sample,
    steps,
  });
  await writeRecord(deps.store, trajectorySchema, at, trajectory);
  return { trajectory, steps };
}
