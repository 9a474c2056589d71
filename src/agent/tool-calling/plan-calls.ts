import type { ToolCall } from '../../core/model/messages.js';
import { closest } from '../../core/text/closest.js';
import type { PlannedCall } from '../agent.js';
import type { Tool } from '../tool.js';

/** Each call of an answer, ready to run or refused with what to do better. One bad call does not lose its neighbours. */
export function planCalls(calls: readonly ToolCall[], tools: readonly Tool[]): PlannedCall[] {
  return calls.map((call) => planCall(call, tools));
}

function planCall(call: ToolCall, tools: readonly Tool[]): PlannedCall {
  const tool = tools.find((candidate) => candidate.schema.name === call.name.trim());
  if (!tool) return { kind: 'refused', call, content: unknownTool(call.name, tools), error: 'unknown_tool' };
  const args = parseArguments(call.arguments);
  const problem = typeof args === 'string' ? args : tool.check(args);
  if (typeof args !== 'string' && problem === null) return { kind: 'run', call, tool, args };
  const content = `The arguments of ${tool.schema.name} cannot be used. Nothing was run.\n${problem}`;
  return { kind: 'refused', call, content, error: 'bad_arguments' };
}

function unknownTool(name: string, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.schema.name);
  const near = closest(name, names);
  const guess = near === null ? '' : ` Did you mean ${near}?`;
  return `There is no tool "${name.slice(0, 100)}".${guess} Available tools: ${names.join(', ')}.`;
}

/**
 * The arguments as an object, or what is wrong with them. Nothing is repaired silently: a call
 * that was cut off must not run with what is left of it. An object within a text is taken out,
 * because some endpoints encode twice.
 */
export function parseArguments(text: string): Record<string, unknown> | string {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
    if (typeof value === 'string') value = JSON.parse(value);
  } catch (error) {
    return `They are not valid JSON: ${(error as Error).message}. Send one JSON object.`;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  return `They are ${Array.isArray(value) ? 'a list' : JSON.stringify(value).slice(0, 50)} instead of one JSON object.`;
}
