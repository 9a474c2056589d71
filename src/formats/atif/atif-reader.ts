import type { EpisodeTurn } from '../../core/trajectory/episode.schema.js';
import type { TimeStep, TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import { unrecordedTurn } from '../episode.js';
import type { AtifDocument, AtifMetrics, AtifStep } from './atif.schema.js';
import { fromAtifContent } from './atif-content.js';
import { COPIED_LABEL } from './atif-document.js';

type ToolMessage = Extract<TrajectoryMessage, { role: 'tool' }>;

/** A timestep for each answer of the agent, with what was said before it. */
export class AtifReader {
  private readonly timesteps: TimeStep[] = [];
  private readonly turns: EpisodeTurn[] = [];
  private told: TrajectoryMessage[] = [];
  private readonly taken = new Set<string>();

  constructor(
    private readonly document: AtifDocument,
    private readonly reward: number | null,
  ) {}

  read(): { timesteps: TimeStep[]; turns: EpisodeTurn[] } {
    for (const step of this.document.steps) {
      if (step.source === 'agent') this.answer(step);
      else this.tell(step);
    }
    if (this.told.length > 0) this.add([], unrecordedTurn(), null);
    const last = this.timesteps.at(-1);
    if (last) this.timesteps[this.timesteps.length - 1] = { ...last, done: true, reward: this.reward };
    return { timesteps: this.timesteps, turns: this.turns };
  }

  private tell(step: AtifStep): void {
    const role = step.source === 'system' ? 'system' : 'user';
    this.told.push({ role, content: fromAtifContent(step.message), label: labelOf(step) });
    for (const { content } of step.observation?.results ?? []) this.observe(content ?? '');
  }

  /** Output that no call asked for reaches the agent as a message. */
  private observe(content: AtifStep['message']): void {
    this.told.push({ role: 'user', content: fromAtifContent(content), label: 'observation' });
  }

  private answer(step: AtifStep): void {
    const ids = new Map((step.tool_calls ?? []).map((call) => [call.tool_call_id, this.idOf(call, step)]));
    const assistant: TrajectoryMessage = {
      role: 'assistant',
      content: fromAtifContent(step.message),
      reasoning: step.reasoning_content ?? null,
      toolCalls: (step.tool_calls ?? []).map((call) => ({
        id: ids.get(call.tool_call_id) ?? call.tool_call_id,
        type: 'function',
        function: { name: call.function_name, arguments: argumentsText(call) },
      })),
      label: step.is_copied_context ? COPIED_LABEL : null,
    };
    const { messages, facts, strays } = resultsOf(step, ids);
    this.add([assistant, ...messages], { ...turnOf(step), results: facts }, toolsOf(step, this.first()));
    for (const stray of strays) this.observe(stray);
  }

  private first(): AtifDocument['agent'] | null {
    return this.timesteps.length === 0 ? this.document.agent : null;
  }

  /** Ids are unique within a rollout; other tools use them anew at each step. */
  private idOf(call: { tool_call_id: string }, step: AtifStep): string {
    let id = call.tool_call_id;
    if (id === '' || this.taken.has(id)) id = `${id || 'call'}_${step.step_id}`;
    while (this.taken.has(id)) id += '_';
    this.taken.add(id);
    return id;
  }

  private add(
    messages: TrajectoryMessage[],
    turn: EpisodeTurn,
    tools: TimeStep['availableToolSchemas'],
  ): void {
    const chat = {
      messages: [...this.told, ...messages],
      logprobs: null,
      topTokens: null,
      tokenTopLogprobs: null,
    };
    this.timesteps.push({
      chats: [chat],
      reward: null,
      mcReturn: null,
      done: false,
      availableToolSchemas: tools,
      advantage: null,
    });
    this.turns.push(turn);
    this.told = [];
  }
}

function toolsOf(step: AtifStep, agent: AtifDocument['agent'] | null): TimeStep['availableToolSchemas'] {
  const changed = step.extra?.tool_definitions;
  if (Array.isArray(changed)) return changed as Record<string, unknown>[];
  return agent?.tool_definitions ?? null;
}

/** A result names its call; one that does not is that of the call at its place, where there are as many of both. */
function resultsOf(step: AtifStep, ids: ReadonlyMap<string, string>) {
  const [calls, results] = [step.tool_calls ?? [], step.observation?.results ?? []];
  const messages: ToolMessage[] = [];
  const facts: EpisodeTurn['results'] = [];
  const strays: AtifStep['message'][] = [];
  for (const [at, result] of results.entries()) {
    const own = calls.find((call) => call.tool_call_id === result.source_call_id);
    const call = own ?? (result.source_call_id || calls.length !== results.length ? undefined : calls[at]);
    if (call === undefined) {
      strays.push(result.content ?? '');
      continue;
    }
    const toolCallId = ids.get(call.tool_call_id) ?? call.tool_call_id;
    const content = fromAtifContent(result.content ?? '');
    messages.push({ role: 'tool', content, toolCallId, name: call.function_name, label: 'observation' });
    if (typeof result.extra?.success === 'boolean') facts.push(factsOf(toolCallId, result.extra));
  }
  return { messages, facts, strays };
}

function factsOf(toolCallId: string, extra: Record<string, unknown>): EpisodeTurn['results'][number] {
  return {
    toolCallId,
    success: extra.success === true,
    error: typeof extra.error === 'string' ? extra.error : null,
    exitCode: numberOf(extra.exit_code),
    durationMs: numberOf(extra.duration_ms),
  };
}

function turnOf(step: AtifStep): EpisodeTurn {
  const metrics: AtifMetrics = step.metrics ?? {};
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = metrics;
  const counted = promptTokens != null && completionTokens != null;
  const startedAt = step.timestamp ? Date.parse(step.timestamp) : Number.NaN;
  const sentView = step.extra?.sent_view;
  return {
    ...unrecordedTurn(),
    step: numberOf(step.extra?.task_step) ?? 0,
    model: step.model_name ?? null,
    finishReason: typeof metrics.extra?.finish_reason === 'string' ? metrics.extra.finish_reason : null,
    usage: counted ? { promptTokens, completionTokens, cachedTokens: metrics.cached_tokens ?? 0 } : null,
    costUsd: metrics.cost_usd ?? null,
    startedAt: Number.isNaN(startedAt) ? null : startedAt,
    latencyMs: numberOf(metrics.extra?.latency_ms),
    promptTokenIds: metrics.prompt_token_ids ?? null,
    completionTokenIds: metrics.completion_token_ids ?? null,
    logprobs: metrics.logprobs ?? null,
    sentView: isObject(sentView) ? sentView : null,
  };
}

function argumentsText(call: {
  arguments: Record<string, unknown>;
  extra?: Record<string, unknown> | null | undefined;
}): string {
  const raw = call.extra?.raw_arguments;
  return typeof raw === 'string' ? raw : JSON.stringify(call.arguments);
}

function labelOf(step: AtifStep): string | null {
  if (step.is_copied_context) return COPIED_LABEL;
  return typeof step.extra?.label === 'string' ? step.extra.label : null;
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
