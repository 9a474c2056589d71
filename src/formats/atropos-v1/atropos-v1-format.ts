import type { ExportContext, ExportFormat } from '../export-format.js';
import { float } from '../python-json.js';
import type { TurnTrace } from './turn-trace.schema.js';
import { type TraceOptions, turnTraces } from './turn-traces.js';

/** The name of a session's file. */
export const traceFile = (sessionId: string): string => `traj_${sessionId}.jsonl`;

/** A trace as it is written: what Python has as a float keeps its decimal point. */
export function traceRow(trace: TurnTrace): Record<string, unknown> {
  const calls = trace.tool_calls.map((call) => ({ ...call, duration_ms: float(call.duration_ms) }));
  return { ...trace, timestamp: float(trace.timestamp), tool_calls: calls, reward: float(trace.reward) };
}

/**
 * A `TurnTrace` a line: into one file where the option `merged` says so, else into `traj_<session_id>.jsonl` each.
 * `recordReasoning`, `recordToolCalls` and `recordSystemPrompt` say what is left out, as in the settings.
 * Hashing is injected: it is no pure function of this language.
 */
export function atroposV1Format(sha256: (text: string) => string): ExportFormat {
  return {
    name: 'atropos-v1',
    unit: 'episode',
    layout: 'lines',
    usesTools: false,
    rows(episodes, { options, rewardOf }) {
      const record = traceOptions(options);
      const all = episodes.map((episode) => ({
        episode,
        traces: turnTraces(episode, { sha256, reward: rewardOf(episode), record }),
      }));
      return {
        rows: all.flatMap(({ episode, traces }) => {
          const file = options.merged === true ? null : traceFile(episode.sessionId);
          return traces.map((trace) => ({ file, value: traceRow(trace) }));
        }),
        refused: all
          .filter(({ traces }) => traces.length === 0)
          .map(({ episode: { sessionId, outcome } }) => ({
            sessionId,
            code: 'no_turns',
            reason: `its agent said nothing (${outcome.failure?.message ?? outcome.stopReason ?? 'unknown outcome'}); the format has a line for each turn`,
          })),
      };
    },
  };
}

function traceOptions(options: ExportContext['options']): TraceOptions {
  return {
    reasoning: options.recordReasoning !== false,
    toolCalls: options.recordToolCalls !== false,
    systemPrompt: options.recordSystemPrompt === true,
  };
}
