import type { ChatMessage } from '../../core/messages.js';
import { addUsage, NO_USAGE, type Usage } from '../../core/usage.js';
import type { CallRecord, RunRecord } from '../../store/records.schema.js';
import type { RecordedTurn } from '../trajectory.js';
import { agentName } from './model-info.js';
import { isoTime, type TrialRecords, type TrialStep } from './trial-records.js';

const ATIF_VERSION = 'ATIF-v1.7';

type Json = Record<string, unknown>;

/** One step of a trial as an ATIF trajectory (Harbor's RFC 0001): the conversation with tool calls and metrics. */
export function atifTrajectory(run: RunRecord, trial: TrialRecords, step: TrialStep): Json {
  const instruction = trial.task.evalCriteria.steps.find((spec) => spec.name === step.name)?.instruction;
  // A trajectory needs a step, also where the agent (`nop`, `oracle`) said nothing.
  const prompt: readonly ChatMessage[] =
    step.prompt.length > 0
      ? step.prompt
      : [{ role: 'user', content: instruction ?? trial.task.inputs.instruction }];
  const steps: Json[] = [...prompt.map(promptStep), ...step.turns.map(agentStep)];
  return compact({
    schema_version: ATIF_VERSION,
    session_id: trial.result.rolloutId,
    trajectory_id: `${trial.result.rolloutId}/${trial.result.attempt}/${step.name}`,
    agent: compact({
      name: agentName(run),
      version: run.longrunVersion,
      model_name: run.config.agent === 'tool-calling' ? run.config.model : null,
      tool_definitions: step.tools.length === 0 ? null : step.tools.map(toolDefinition),
    }),
    steps: steps.map((found, i) => ({ step_id: i + 1, ...found })),
    final_metrics: finalMetrics(step.turns, steps.length),
    extra: { stop_reason: trial.result.stopReason, attempt: trial.result.attempt },
  });
}

function toolDefinition(tool: { name: string; description: string; parameters: Json }): Json {
  return { type: 'function', function: { ...tool } };
}

function promptStep(message: ChatMessage): Json {
  return { source: message.role === 'system' ? 'system' : 'user', message: message.content };
}

function agentStep({ call, results }: RecordedTurn): Json {
  const { content, reasoning, toolCalls } = call.message;
  return compact({
    timestamp: isoTime(call.startedAt),
    source: 'agent',
    model_name: call.model,
    message: content,
    reasoning_content: reasoning,
    tool_calls:
      toolCalls.length === 0 ? null : toolCalls.map((made) => toolCall(made.id, made.name, made.arguments)),
    observation: results.length === 0 ? null : { results: results.map(observation) },
    metrics: metricsOf(call),
    llm_call_count: 1,
    extra: call.sentView === null ? null : { sent_view: call.sentView },
  });
}

/** ATIF wants arguments as an object; text that is none is kept beside an empty one. */
function toolCall(id: string, name: string, text: string): Json {
  const parsed = parseObject(text);
  return compact({
    tool_call_id: id,
    function_name: name,
    arguments: parsed ?? {},
    extra: parsed === null ? { raw_arguments: text } : null,
  });
}

function parseObject(text: string): Json | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as Json) : null;
  } catch {
    return null;
  }
}

function observation(result: RecordedTurn['results'][number]): Json {
  return {
    source_call_id: result.toolCallId,
    content: result.content,
    extra: compact({
      success: result.success,
      error: result.error,
      exit_code: result.exitCode,
      duration_ms: result.durationMs,
    }),
  };
}

function metricsOf(call: CallRecord): Json {
  return compact({
    prompt_tokens: call.usage.promptTokens,
    completion_tokens: call.usage.completionTokens,
    cached_tokens: call.usage.cachedTokens,
    cost_usd: call.costUsd,
    prompt_token_ids: call.promptTokenIds,
    completion_token_ids: call.completionTokenIds,
    logprobs: call.logprobs,
    extra: { latency_ms: call.latencyMs, finish_reason: call.finishReason },
  });
}

function finalMetrics(turns: readonly RecordedTurn[], totalSteps: number): Json {
  const usage = turns.reduce<Usage>((sum, turn) => addUsage(sum, turn.call.usage), NO_USAGE);
  const costs = turns.map((turn) => turn.call.costUsd);
  return compact({
    total_prompt_tokens: usage.promptTokens,
    total_completion_tokens: usage.completionTokens,
    total_cached_tokens: usage.cachedTokens,
    total_cost_usd: costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    total_steps: totalSteps,
  });
}

/** Without the null members: ATIF's optional fields are left out, not null. */
function compact(value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}
