import type { Episode, EpisodeTurn } from '../../core/trajectory/episode.schema.js';
import type { TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import { argumentsObject } from '../arguments-object.js';
import { contentText } from '../content-text.js';
import { feedbackText } from './feedback-text.js';
import type { TracedCall, TurnTrace } from './turn-trace.schema.js';

type Answer = Extract<TrajectoryMessage, { role: 'assistant' }>;
type Result = Extract<TrajectoryMessage, { role: 'tool' }>;

/** What of a turn is recorded; the rest is left out on purpose. */
export interface TraceOptions {
  /** Chain of thought. */
  reasoning: boolean;
  /** Arguments and results of tool calls; their names, durations and success always are. */
  toolCalls: boolean;
  /** The system prompt itself beside its hash. */
  systemPrompt: boolean;
}

export interface TraceContext {
  /** Hexadecimal. */
  sha256(text: string): string;
  /** The reward that counts. */
  reward: number | null;
  record: TraceOptions;
}

/** The turns of an episode, a trace for each answer of its agent. */
export function turnTraces(episode: Episode, context: TraceContext): TurnTrace[] {
  const traces = new TraceWriter(episode, context).traces();
  const last = traces.at(-1);
  if (last) {
    last.user_feedback = feedbackText(episode.rewards);
    last.task_completed = episode.outcome.passed ?? null;
    last.reward = context.reward;
  }
  return traces;
}

/** Walks a conversation once. A system prompt begins it anew: each step of a task has its own. */
class TraceWriter {
  private readonly written: TurnTrace[] = [];
  private history = 0;
  private userMessage = '';
  private systemPrompt: string | null = null;
  private promptIsNew = false;

  constructor(
    private readonly episode: Episode,
    private readonly context: TraceContext,
  ) {}

  traces(): TurnTrace[] {
    const { trajectory, turns } = this.episode;
    for (const [i, step] of trajectory.timesteps.entries()) {
      const messages = step.chats.flatMap((chat) => chat.messages);
      this.hear(messages);
      let facts = turns[i] ?? null;
      for (const message of messages) {
        if (message.role === 'assistant') {
          const results = messages.filter((found) => found.role === 'tool');
          this.written.push(this.trace(message, results, facts));
          facts = null;
        }
        this.history = message.role === 'system' ? 1 : this.history + 1;
      }
    }
    return this.written;
  }

  private hear(messages: readonly TrajectoryMessage[]): void {
    const said = messages.filter(({ role }) => role === 'user').map(({ content }) => contentText(content));
    if (said.length > 0) this.userMessage = said.join('\n\n');
    const system = messages.findLast(({ role }) => role === 'system');
    if (system === undefined) return;
    this.promptIsNew = true;
    this.systemPrompt = contentText(system.content);
  }

  private trace(answer: Answer, results: readonly Result[], facts: EpisodeTurn | null): TurnTrace {
    const { episode, context } = this;
    const model = facts?.model ?? episode.model;
    const prompt = this.systemPrompt;
    const keepPrompt = context.record.systemPrompt && this.promptIsNew && prompt !== null;
    this.promptIsNew = false;
    return {
      session_id: episode.sessionId,
      turn_index: this.written.length,
      timestamp: facts === null || facts.startedAt === null ? null : facts.startedAt / 1000,
      model,
      provider: episode.provider ?? providerIn(model),
      prompt_tokens: facts?.usage?.promptTokens ?? null,
      system_prompt_hash: prompt === null ? null : context.sha256(prompt),
      ...(keepPrompt ? { system_prompt: prompt } : {}),
      user_message: this.userMessage,
      conversation_history_length: this.history,
      reasoning: context.record.reasoning ? answer.reasoning : null,
      tool_calls: answer.toolCalls.map((call) => tracedCall(call, results, facts, context.record.toolCalls)),
      assistant_response: contentText(answer.content),
      completion_tokens: facts?.usage?.completionTokens ?? null,
      user_feedback: null,
      task_completed: null,
      reward: null,
    };
  }
}

function tracedCall(
  { id, function: { name, arguments: text } }: Answer['toolCalls'][number],
  results: readonly Result[],
  facts: EpisodeTurn | null,
  whole: boolean,
): TracedCall {
  const result = results.find(({ toolCallId }) => toolCallId === id);
  const known = facts?.results.find(({ toolCallId }) => toolCallId === id);
  return {
    tool_name: name,
    arguments: whole ? (argumentsObject(text) ?? { raw_arguments: text }) : {},
    result: whole && result !== undefined ? contentText(result.content) : null,
    error: known?.error ?? null,
    duration_ms: known?.durationMs ?? null,
    success: known?.success ?? null,
  };
}

/** `scripted/demo` and `openai/gpt-5` name who serves them. */
function providerIn(model: string | null): string | null {
  const slash = model?.indexOf('/') ?? -1;
  return model === null || slash < 1 ? null : model.slice(0, slash);
}
