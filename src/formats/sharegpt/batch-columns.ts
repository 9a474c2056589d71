import type { Episode } from '../../core/trajectory/episode.schema.js';
import { messagesOf } from '../messages-of.js';
import { offeredTools } from '../offered-tools.js';
import { toolStats } from './tool-stats.js';
import { toolsetsOf } from './toolsets.js';

/** What only the batch variant has. The maps have each of `tools`, all tools of the export, as a key. */
export function batchColumns(episode: Episode, tools: readonly string[]): Record<string, unknown> {
  const { completed, apiCalls } = episode.outcome;
  const messages = messagesOf(episode);
  const stats = toolStats(messages, tools);
  const errors = Object.entries(stats).map(([name, { failure }]) => [name, failure]);
  return {
    partial: !completed && messages.some(({ role }) => role === 'assistant'),
    api_calls: apiCalls,
    toolsets_used: toolsetsOf(usedTools(episode)),
    tool_stats: stats,
    tool_error_counts: Object.fromEntries(errors),
  };
}

/** The tools that a rollout could use; of a row that does not say, those that it called. */
export function usedTools(episode: Episode): string[] {
  const offered = offeredTools(episode).map(({ name }) => name);
  if (offered.length > 0) return offered;
  return messagesOf(episode).flatMap((message) =>
    message.role === 'assistant' ? message.toolCalls.map((call) => call.function.name) : [],
  );
}
