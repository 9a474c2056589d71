import type { TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import { contentText } from '../content-text.js';
import { isJsonObject, parseJson } from '../json-spacing.js';

export interface ToolCounts {
  count: number;
  success: number;
  failure: number;
}

/** Calls per tool, zeros for tools that were not called. A call without a result failed. */
export function toolStats(
  messages: readonly TrajectoryMessage[],
  tools: readonly string[],
): Record<string, ToolCounts> {
  const stats = new Map<string, ToolCounts>(
    tools.map((name) => [name, { count: 0, success: 0, failure: 0 }]),
  );
  const results = new Map<string, string>();
  for (const message of messages)
    if (message.role === 'tool') results.set(message.toolCallId, contentText(message.content));
  for (const call of messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []))) {
    const counts = stats.get(call.function.name) ?? { count: 0, success: 0, failure: 0 };
    const succeeded = isSuccess(results.get(call.id) ?? '');
    counts.count += 1;
    counts[succeeded ? 'success' : 'failure'] += 1;
    stats.set(call.function.name, counts);
  }
  return Object.fromEntries([...stats].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The batch runner's rule, which goes by what the tool said: an `error` or `success: false` in its JSON, an empty
 * answer, or one that starts with `error:` is a failure; an exit code is not looked at.
 */
export function isSuccess(content: string): boolean {
  const text = content.trim();
  if (text === '') return false;
  const value = parseJson(text);
  if (!isJsonObject(value)) return !text.toLowerCase().startsWith('error:');
  if ((value.error ?? null) !== null || value.success === false) return false;
  return !(isJsonObject(value.content) && (value.content.error ?? null) !== null);
}
