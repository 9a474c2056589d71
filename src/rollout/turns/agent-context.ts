import type { AgentContext } from '../../agent/agent.js';
import { toolsByName } from '../../agent/index.js';
import type { Task } from '../../core/rollout/task.schema.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import type { Environment } from '../../tasks/environment.js';

/** What the agent is told of a step; the same for every executor, so that prompts never differ. */
export function agentContextOf(
  environment: Environment,
  run: RunRecord,
  task: Task,
  step: number,
): AgentContext {
  return {
    config: run.config,
    instruction: environment.formatPrompt(task, step),
    workdir: task.metadata.sandbox.workdir,
    tools: toolsByName(environment.tools),
    contextWindow: run.config.contextWindow,
    summary: null,
  };
}
