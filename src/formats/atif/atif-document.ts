import type { EpisodeTurn } from '../../core/trajectory/episode.schema.js';
import type { TimeStep, TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import { argumentsObject } from '../arguments-object.js';
import { ATIF_VERSION } from './atif.schema.js';
import { toAtifContent } from './atif-content.js';
import { compact, finalMetrics, metricsOf, resultFacts } from './atif-metrics.js';

export type Json = Record<string, unknown>;

/** What an ATIF trajectory is written from: a whole rollout, or one step of a task. */
export interface AtifSource {
  sessionId: string;
  trajectoryId: string;
  agent: { name: string; version: string; modelName: string | null };
  timesteps: readonly TimeStep[];
  /** One per timestep. */
  turns: readonly EpisodeTurn[];
  extra: Json;
}

/** Messages of this label were in the context already: whoever trains on the trajectory leaves them out. */
export const COPIED_LABEL = 'copied_context';

/** An ATIF v1.7 trajectory (Harbor's RFC 0001): the conversation with tool calls and metrics. Optional fields are left out, not null. */
export function atifDocument(source: AtifSource): Json {
  const { sessionId, trajectoryId, agent, timesteps, turns, extra } = source;
  const tools = timesteps.find((step) => step.availableToolSchemas !== null)?.availableToolSchemas ?? [];
  const steps = timesteps.flatMap((step, i) => stepsOf(step, turns[i] ?? null, tools));
  return compact({
    schema_version: ATIF_VERSION,
    session_id: sessionId,
    trajectory_id: trajectoryId,
    agent: compact({
      name: agent.name,
      version: agent.version,
      model_name: agent.modelName,
      tool_definitions: tools.length === 0 ? null : tools,
    }),
    steps: steps.map((found, i) => ({ step_id: i + 1, ...found })),
    final_metrics: finalMetrics(turns, steps.length),
    extra: compact(extra),
  });
}

function stepsOf(step: TimeStep, turn: EpisodeTurn | null, tools: readonly Json[]): Json[] {
  const steps: Json[] = [];
  let calling: { step: Json; ids: ReadonlySet<string> } | null = null;
  let known = turn;
  const changed = step.availableToolSchemas;
  const more = compact({
    task_step: (turn?.step ?? 0) > 0 ? turn?.step : null,
    tool_definitions: changed !== null && !sameTools(changed, tools) ? changed : null,
  });
  for (const message of step.chats.flatMap((chat) => chat.messages)) {
    if (message.role === 'assistant') {
      const ids = new Set(message.toolCalls.map((call) => call.id));
      calling = { step: agentStep(message, known, more), ids };
      steps.push(calling.step);
      // What is known of the turn is known of its first answer.
      known = null;
    } else if (message.role === 'tool') {
      addResult(steps, calling, message, turn);
    } else {
      steps.push(toldStep(message, more));
    }
  }
  return steps;
}

function toldStep(message: Extract<TrajectoryMessage, { role: 'system' | 'user' }>, more: Json): Json {
  const extra = compact({ ...more, tool_definitions: null, label: message.label });
  return compact({
    source: message.role,
    message: toAtifContent(message.content),
    is_copied_context: message.label === COPIED_LABEL ? true : null,
    extra: Object.keys(extra).length === 0 ? null : extra,
  });
}

function agentStep(
  message: Extract<TrajectoryMessage, { role: 'assistant' }>,
  turn: EpisodeTurn | null,
  more: Json,
): Json {
  const sampled = turn !== null && turn.usage !== null;
  const extra = compact({ ...more, sent_view: turn?.sentView ?? null });
  return compact({
    timestamp: turn === null || turn.startedAt === null ? null : new Date(turn.startedAt).toISOString(),
    source: 'agent',
    model_name: turn?.model ?? null,
    message: toAtifContent(message.content),
    reasoning_content: message.reasoning,
    tool_calls: message.toolCalls.length === 0 ? null : message.toolCalls.map(toolCall),
    metrics: turn === null ? null : metricsOf(turn),
    is_copied_context: message.label === COPIED_LABEL ? true : null,
    llm_call_count: sampled ? 1 : null,
    extra: Object.keys(extra).length === 0 ? null : extra,
  });
}

/** ATIF wants arguments as an object; text that is none is kept beside an empty one. */
function toolCall(call: { id: string; function: { name: string; arguments: string } }): Json {
  const parsed = argumentsObject(call.function.arguments);
  return compact({
    tool_call_id: call.id,
    function_name: call.function.name,
    arguments: parsed ?? {},
    extra: parsed === null ? { raw_arguments: call.function.arguments } : null,
  });
}

/** A result stands at the step that made the call, and names it; one without a step before it is told as by a user. */
function addResult(
  steps: Json[],
  calling: { step: Json; ids: ReadonlySet<string> } | null,
  message: Extract<TrajectoryMessage, { role: 'tool' }>,
  turn: EpisodeTurn | null,
): void {
  const content = toAtifContent(message.content);
  if (calling === null) {
    steps.push({ source: 'user', message: content, extra: { tool_call_id: message.toolCallId } });
    return;
  }
  const made = calling.ids.has(message.toolCallId);
  const facts = turn?.results.find(({ toolCallId }) => toolCallId === message.toolCallId);
  const extra = compact({
    ...(facts === undefined ? {} : resultFacts(facts)),
    tool_call_id: made ? null : message.toolCallId,
  });
  const found = compact({
    source_call_id: made ? message.toolCallId : null,
    content,
    extra: Object.keys(extra).length === 0 ? null : extra,
  });
  const before = (calling.step.observation as { results: Json[] } | undefined)?.results ?? [];
  calling.step.observation = { results: [...before, found] };
}

const sameTools = (a: readonly Json[], b: readonly Json[]): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
