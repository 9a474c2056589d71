import { type Episode, episodeSchema } from '../../../src/core/trajectory/episode.schema.js';
import type { RewardSignal, RewardSource } from '../../../src/core/trajectory/reward-signal.schema.js';

export interface SketchedCall {
  name: string;
  args?: Record<string, unknown> | string;
  /** Undefined = nothing is known of its result. */
  ok?: boolean;
}

export interface SketchedTurn {
  says?: string;
  thinks?: string;
  calls?: SketchedCall[];
  completionTokens?: number;
}

/** An episode with these turns after one prompt. */
export function episodeOf(
  turns: readonly SketchedTurn[],
  extra: { [K in keyof Episode]?: Episode[K] | undefined } = {},
): Episode {
  const given = Object.fromEntries(Object.entries(extra).filter(([, value]) => value !== undefined));
  return episodeSchema.parse({
    schemaVersion: 1,
    sessionId: 'run__task__0',
    trajectory: {
      timesteps: turns.map((turn, i) => ({ chats: [{ messages: messages(turn, i) }] })),
      errorInfo: turns.length === 0 ? { errorType: 'provision_error', message: 'gone', traceback: '' } : null,
    },
    turns: turns.map(({ calls = [], completionTokens }, i) => ({
      usage: completionTokens === undefined ? null : { promptTokens: 100, cachedTokens: 0, completionTokens },
      results: calls.flatMap(({ ok }, c) =>
        ok === undefined
          ? []
          : [
              {
                toolCallId: `call_${i}_${c}`,
                success: ok,
                error: ok ? null : 'failed',
                exitCode: ok ? 0 : 1,
                durationMs: 5,
              },
            ],
      ),
    })),
    outcome: {
      stopReason: 'natural',
      completed: true,
      status: 'success',
      failureClass: 'agent',
      failure: null,
      apiCalls: turns.length,
      attempts: 1,
      suspectedTampering: [],
    },
    ...given,
  });
}

/** A reward of some source; `at` 1 unless told otherwise. */
export function signal(source: RewardSource, value: number, more: Partial<RewardSignal> = {}): RewardSignal {
  return {
    source,
    quality: source === 'implicit' ? 'low' : source === 'reward_model' ? 'medium' : 'high',
    value,
    shape: null,
    parts: null,
    by: null,
    at: 1,
    note: null,
    ...more,
  };
}

function messages({ says = '', thinks, calls = [] }: SketchedTurn, i: number) {
  const prompt = i === 0 ? [{ role: 'user', content: 'Sum the column.' }] : [];
  const answer = {
    role: 'assistant',
    content: says,
    reasoning: thinks ?? null,
    toolCalls: calls.map(({ name, args = {} }, c) => ({
      id: `call_${i}_${c}`,
      function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
    })),
  };
  const results = calls.flatMap(({ name, ok }, c) =>
    ok === undefined
      ? []
      : [{ role: 'tool', toolCallId: `call_${i}_${c}`, name, content: ok ? 'done' : 'error' }],
  );
  return [...prompt, answer, ...results];
}
