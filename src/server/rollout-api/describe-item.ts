import { opening } from '../../agent/tool-calling/conversation.js';
import { agentContextOf } from '../../rollout/turns/agent-context.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import type { Item } from './answers.schema.js';
import type { Offered } from './offered-environments.js';

/**
 * An item of an environment as a trainer sees it: the prompt as the agent gets it, the tools, and what is known of
 * the task. Neither tests nor solution nor values of variables are told, nor the row's own fields, which may hold
 * the answer.
 */
export async function describeItem(run: RunRecord, offered: Offered, position: number): Promise<Item> {
  const { taskIds, environment } = offered;
  const taskId = taskIds[position % taskIds.length] as string;
  const { task } = await offered.load(taskId);
  const context = agentContextOf(environment, run, task, 0);
  const { category, difficulty, tags, source, sandbox } = task.metadata;
  return {
    position,
    epoch: Math.floor(position / taskIds.length),
    environment: environment.name,
    item: taskId,
    prompt: context.instruction,
    messages: opening(context).flatMap(({ role, content }) =>
      role === 'system' || role === 'user' ? [{ role, content }] : [],
    ),
    tools: context.tools.map(({ schema }) => ({ type: 'function', function: { ...schema } })),
    metadata: {
      category,
      difficulty,
      tags,
      digest: source.digest,
      steps: task.evalCriteria.steps.length,
      agentTimeoutMs: task.evalCriteria.steps[0]?.agentTimeoutMs ?? null,
      network: run.config.network ?? sandbox.network,
      workdir: sandbox.workdir,
      cpus: sandbox.cpus,
      memoryMb: sandbox.memoryMb,
      storageMb: sandbox.storageMb,
    },
  };
}
