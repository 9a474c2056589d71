import { badInput } from '../../core/errors.js';
import type { Episode, EpisodeTurn } from '../../core/trajectory/episode.schema.js';
import { REWARD_QUALITY, type RewardSignal } from '../../core/trajectory/reward-signal.schema.js';
import type { TimeStep, TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import { unrecordedTurn } from '../episode.js';
import type { ImportFormat, InputRow, RowPlace, RowReader } from '../import-format.js';
import { importedEpisode } from '../imported-episode.js';
import { feedbackSignal } from './feedback-text.js';
import { type TracedCall, type TurnTrace, turnTraceSchema } from './turn-trace.schema.js';

/** Lines that follow each other with one session id are one episode. */
export const atroposV1Import: ImportFormat = {
  name: 'atropos-v1',
  matches: (row) => 'session_id' in row && 'turn_index' in row && 'assistant_response' in row,
  open: () => new SessionReader(),
};

class SessionReader implements RowReader {
  private held: { trace: TurnTrace; place: RowPlace }[] = [];

  row(row: InputRow, place: RowPlace): Episode[] {
    const trace = traceOf(row);
    const last = this.held.at(-1)?.trace;
    const goesOn = last?.session_id === trace.session_id && last.turn_index < trace.turn_index;
    const complete = goesOn ? [] : this.end();
    this.held.push({ trace, place });
    return complete;
  }

  end(): Episode[] {
    const [first] = this.held;
    if (first === undefined) return [];
    const traces = this.held.map(({ trace }) => trace);
    this.held = [];
    return [episodeOf(traces, first.place)];
  }
}

function traceOf(row: InputRow): TurnTrace {
  const parsed = turnTraceSchema.safeParse(row);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw badInput(`at ${issue?.path.join('.') || 'the whole'}: ${issue?.message}.`, 'It must be a TurnTrace.');
}

function episodeOf(traces: readonly TurnTrace[], place: RowPlace): Episode {
  const [first, last] = [traces[0] as TurnTrace, traces.at(-1) as TurnTrace];
  const rewards = rewardsOf(last);
  const environment = rewards.find(({ source }) => source === 'environment');
  const steps = traces.map((trace, i) => timeStep(trace, traces[i - 1] ?? null));
  const timesteps = steps.map((step) =>
    step === steps.at(-1) ? { ...step, done: true, reward: environment?.value ?? null } : step,
  );
  const episode = importedEpisode('atropos-v1', place, {
    sessionId: first.session_id,
    model: first.model,
    provider: first.provider,
    startedAt: epochMs(first.timestamp),
    trajectory: { timesteps, resetKwargs: {}, errorInfo: null, episodeId: null, schemaVersion: 1 },
    turns: traces.map(turnOf),
    completed: endedItself(last),
    outcome: { passed: last.task_completed },
  });
  return { ...episode, rewards };
}

/** The format does not say how a session ended. An agent that called tools had more to do, unless it called `finish`. */
function endedItself({ tool_calls: calls }: TurnTrace): boolean {
  return calls.length === 0 || calls.some((call) => call.tool_name === 'finish' && call.success !== false);
}

/** Nor who gave the reward: the environment where it judged the task, else the person who said the same, else a model. */
function rewardsOf(last: TurnTrace): RewardSignal[] {
  const said = last.user_feedback === null ? null : feedbackSignal(last.user_feedback);
  const signals = said === null ? [] : [said];
  const { reward, task_completed: judged } = last;
  if (reward === null || (judged === null && reward === said?.value)) return signals;
  const source = judged === null ? 'reward_model' : 'environment';
  const unknown = { shape: null, parts: null, by: null, at: null, note: null };
  return [{ source, quality: REWARD_QUALITY[source], value: reward, ...unknown }, ...signals];
}

function timeStep(trace: TurnTrace, before: TurnTrace | null): TimeStep {
  const messages: TrajectoryMessage[] = [];
  if (trace.system_prompt !== undefined)
    messages.push({ role: 'system', content: trace.system_prompt, label: 'system' });
  if (userSpoke(trace, before)) messages.push({ role: 'user', content: trace.user_message, label: null });
  messages.push({
    role: 'assistant',
    content: trace.assistant_response,
    reasoning: trace.reasoning,
    toolCalls: trace.tool_calls.map((call, i) => ({
      id: callId(trace, i),
      type: 'function',
      function: { name: call.tool_name, arguments: argumentsText(call) },
    })),
    label: null,
  });
  for (const [i, call] of trace.tool_calls.entries()) {
    const content = call.result ?? call.error;
    if (content === null) continue;
    const toolCallId = callId(trace, i);
    messages.push({ role: 'tool', content, toolCallId, name: call.tool_name, label: 'observation' });
  }
  return {
    chats: [{ messages, logprobs: null, topTokens: null, tokenTopLogprobs: null }],
    reward: null,
    mcReturn: null,
    done: false,
    availableToolSchemas: null,
    advantage: null,
  };
}

/** A turn repeats what it answers to: a text is new when it differs, or when the history has grown by one more. */
function userSpoke(trace: TurnTrace, before: TurnTrace | null): boolean {
  if (trace.user_message === '') return false;
  if (before === null || before.user_message !== trace.user_message) return true;
  const [now, then] = [trace.conversation_history_length, before.conversation_history_length];
  if (now === null || then === null) return false;
  const added = 1 + before.tool_calls.length;
  return now < then || now > then + added;
}

function turnOf(trace: TurnTrace): EpisodeTurn {
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = trace;
  const counted = promptTokens !== null && completionTokens !== null;
  return {
    ...unrecordedTurn(),
    model: trace.model,
    usage: counted ? { promptTokens, cachedTokens: 0, completionTokens } : null,
    startedAt: epochMs(trace.timestamp),
    results: trace.tool_calls.flatMap(({ success, error, duration_ms: durationMs }, i) =>
      success === null ? [] : [{ toolCallId: callId(trace, i), success, error, exitCode: null, durationMs }],
    ),
  };
}

function argumentsText({ arguments: args }: TracedCall): string {
  const { raw_arguments: raw, ...others } = args;
  return typeof raw === 'string' && Object.keys(others).length === 0 ? raw : JSON.stringify(args);
}

const callId = ({ turn_index: turn }: TurnTrace, index: number): string => `call_${turn}_${index}`;
const epochMs = (seconds: number | null): number | null =>
  seconds === null ? null : Math.round(seconds * 1000);
