import type { ChatMessage } from '../../core/model/messages.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import { atifDocument, type Json } from '../atif/atif-document.js';
import { turnOf, unrecordedTurn } from '../episode.js';
import { promptStep, timeSteps } from '../trajectory.js';
import { agentName } from './model-info.js';
import type { TrialRecords, TrialStep } from './trial-records.js';

/** One step of a trial as an ATIF trajectory: Harbor keeps one for each step of a task. */
export function atifTrajectory(run: RunRecord, trial: TrialRecords, step: TrialStep): Json {
  const { result, task } = trial;
  const instruction = task.evalCriteria.steps.find((spec) => spec.name === step.name)?.instruction;
  // A trajectory needs a step, also where the agent (`nop`, `oracle`) said nothing.
  const prompt: readonly ChatMessage[] =
    step.prompt.length > 0
      ? step.prompt
      : [{ role: 'user', content: instruction ?? task.inputs.instruction, label: 'task' }];
  const told = { ...step, prompt };
  const spoke = step.turns.length > 0;
  return atifDocument({
    sessionId: result.rolloutId,
    trajectoryId: `${result.rolloutId}/${result.attempt}/${step.name}`,
    agent: {
      name: agentName(run),
      version: run.longrunVersion,
      modelName: run.config.agent === 'tool-calling' ? run.config.model : null,
    },
    timesteps: spoke ? timeSteps([told]) : [promptStep(told)],
    turns: spoke ? step.turns.map((turn) => turnOf(turn, 0, result.policyVersion)) : [unrecordedTurn()],
    extra: { stop_reason: result.stopReason, attempt: result.attempt },
  });
}
