import type { RolloutKey } from '../core/ids.js';
import { rolloutId } from '../core/ids.js';
import type { AssistantMessage, ChatMessage, ToolSchema } from '../core/model/messages.js';
import { outcomeClass } from '../core/rollout/outcome.js';
import type { Task } from '../core/rollout/task.schema.js';
import type { TimeStep, Trajectory, TrajectoryMessage } from '../core/trajectory/trajectory.schema.js';
import type { AttemptRecord, CallRecord, ToolResult } from '../store/records/records.schema.js';

/** One turn as it was recorded: the answer, and the result of each of its calls. */
export interface RecordedTurn {
  call: CallRecord;
  results: readonly ToolResult[];
}

/** One step of a task: what was newly said before its first turn, the tools offered, the turns. */
export interface RecordedStep {
  /** System and user message for the first step; for later ones what they add to the conversation. */
  prompt: readonly ChatMessage[];
  tools: readonly ToolSchema[];
  turns: readonly RecordedTurn[];
  /**
   * What the agent was told after each turn besides the results of its calls: after an unusable answer,
   * to try again. It was sent with the next turn; after the last one nobody was sent it.
   */
  corrections?: readonly (readonly ChatMessage[])[];
}

export interface TrajectoryInput {
  rollout: RolloutKey;
  task: Task;
  attempt: AttemptRecord;
  steps: readonly RecordedStep[];
  model: string | null;
  seed: number | null;
}

/**
 * The trajectory of an attempt, from its records: a TimeStep per turn, each holding what is new in it.
 * The attempt's reward stands at the last TimeStep, which is done. An attempt without turns that did
 * not fail (agents `nop` and `oracle`) is one TimeStep of the prompt; one that failed before any turn
 * has none, and says why in `errorInfo`.
 */
export function assembleTrajectory(input: TrajectoryInput): Trajectory {
  const errorInfo = errorInfoOf(input.attempt);
  const timesteps = timeSteps(input.steps);
  if (timesteps.length === 0 && errorInfo === null) timesteps.push(promptStep(...input.steps));
  const last = timesteps.at(-1);
  if (last) timesteps[timesteps.length - 1] = { ...last, reward: input.attempt.reward, done: true };
  return {
    timesteps,
    resetKwargs: resetKwargs(input),
    errorInfo,
    episodeId: `${rolloutId(input.rollout)}/${input.attempt.attempt}`,
    schemaVersion: 1,
  };
}

/** The TimeStep of an agent that said nothing: what it was told. */
export function promptStep(...steps: readonly RecordedStep[]): TimeStep {
  const prompt = steps.flatMap((step) => step.prompt.map(messageOf));
  return timeStep(prompt, null);
}

/** A TimeStep per turn, none of them done yet: also of an attempt that still runs. */
export function timeSteps(steps: readonly RecordedStep[]): TimeStep[] {
  return steps.flatMap(timeStepsOf);
}

function timeStepsOf(step: RecordedStep): TimeStep[] {
  const tools = step.tools.map((schema) => ({ type: 'function', function: { ...schema } }));
  return step.turns.map((turn, i) => {
    const told = i === 0 ? step.prompt : (step.corrections?.[i - 1] ?? []);
    const answer = [assistantMessage(turn.call.message), ...turn.results.map(toolMessage)];
    return timeStep([...told.map(messageOf), ...answer], i === 0 ? tools : null);
  });
}

/** A step of these messages that nobody has judged yet; `tools`: what was offered from here on. */
export function timeStep(messages: TrajectoryMessage[], tools: Record<string, unknown>[] | null): TimeStep {
  return {
    // The log-probabilities of the sampled tokens stand in the turn's record: agoge's would cover the whole chat.
    chats: [{ messages, logprobs: null, topTokens: null, tokenTopLogprobs: null }],
    reward: null,
    mcReturn: null,
    done: false,
    availableToolSchemas: tools,
    advantage: null,
  };
}

function messageOf(message: ChatMessage): TrajectoryMessage {
  const label = message.label ?? null;
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content, label };
    case 'assistant':
      return { ...assistantMessage(message), label };
    case 'tool':
      return {
        role: 'tool',
        content: message.content,
        toolCallId: message.toolCallId,
        name: message.name,
        label,
      };
  }
}

function assistantMessage(message: Omit<AssistantMessage, 'role'>): TrajectoryMessage {
  return {
    role: 'assistant',
    content: message.content,
    reasoning: message.reasoning,
    toolCalls: message.toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    })),
    label: null,
  };
}

function toolMessage(result: ToolResult): TrajectoryMessage {
  const { content, toolCallId, name } = result;
  return { role: 'tool', content, toolCallId, name, label: 'observation' };
}

function errorInfoOf({ failure, stopReason }: AttemptRecord): Trajectory['errorInfo'] {
  if (failure) return { errorType: failure.code, message: failure.message, traceback: '' };
  if (outcomeClass(stopReason) === 'agent') return null;
  return { errorType: stopReason, message: `the attempt ended with ${stopReason}`, traceback: '' };
}

/** Data, not declared fields: written as it shall stand on disk. */
function resetKwargs({ rollout, task, attempt, model, seed }: TrajectoryInput): Record<string, unknown> {
  const { category, difficulty, tags, source } = task.metadata;
  return {
    task: {
      task_id: task.taskId,
      inputs: { ...task.inputs },
      metadata: { category, difficulty, tags, source },
    },
    run_id: rollout.runId,
    sample: rollout.sample,
    attempt: attempt.attempt,
    model,
    seed,
  };
}
