import type { Episode, EpisodeTurn } from '../../core/trajectory/episode.schema.js';
import type { TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import { callFailed } from '../call-outcome.js';
import { textOf } from '../compress/turns.js';
import type { ArgumentChecker } from './argument-checker.js';
import { CallLedger } from './call-pairs.js';
import type { EpisodeFilter } from './filter.js';
import { type OfferedTools, offeredTools } from './offered-tools.js';

type ToolCall = Extract<TrajectoryMessage, { role: 'assistant' }>['toolCalls'][number];

export interface CallsFilterOptions {
  /** Calls that were in the air when the rollout was cut short may be without a result. */
  allowCutShort: boolean;
  /** Wrong calls may be there where they were answered with an error. */
  allowRefused: boolean;
  checker: ArgumentChecker;
  /** Told of episodes with calls that name no tools: their names and arguments cannot be checked. */
  onUnchecked?(episode: Episode): void;
}

/** Calls of tools that were offered, with arguments as their schemas say, and a result each. */
export function callsFilter(options: CallsFilterOptions): EpisodeFilter {
  return { name: 'calls', check: (episode) => firstProblem(episode, options) };
}

function firstProblem(episode: Episode, options: CallsFilterOptions): string | null {
  const pairs = new CallLedger();
  let unchecked = false;
  for (const { turn, messages, tools } of offeredTools(episode)) {
    const wasRefused = (id: string): boolean =>
      options.allowRefused && failed(id, messages, episode.turns[turn]);
    for (const message of messages) {
      const made = message.role === 'assistant' ? message.toolCalls : [];
      const wrong = made.find((call) => callProblem(call, tools, options.checker) && !wasRefused(call.id));
      const problem = pairs.add(message) ?? (wrong ? callProblem(wrong, tools, options.checker) : null);
      if (problem !== null) return `turn ${turn + 1}: ${problem}`;
      unchecked ||= tools === null && made.length > 0;
    }
  }
  if (unchecked) options.onUnchecked?.(episode);
  return options.allowCutShort && !episode.outcome.completed ? null : pairs.end();
}

function failed(id: string, messages: readonly TrajectoryMessage[], known: EpisodeTurn | undefined): boolean {
  const result = messages.find((message) => message.role === 'tool' && message.toolCallId === id);
  const facts = known?.results.find(({ toolCallId }) => toolCallId === id);
  return result !== undefined && callFailed(textOf(result), facts);
}

function callProblem(
  { function: call }: ToolCall,
  tools: OfferedTools | null,
  checker: ArgumentChecker,
): string | null {
  const args = parse(call.arguments);
  if (args === undefined) return `the arguments of ${call.name} are no JSON object`;
  if (tools === null) return null;
  const schema = tools.get(call.name);
  if (schema === undefined) return `there is no tool "${call.name}": ${namesOf(tools)}`;
  const problem = schema && checker.problem(call.name, schema, args);
  return problem ? `the arguments of ${call.name} are not as its schema says: ${problem}` : null;
}

const namesOf = (tools: OfferedTools): string =>
  tools.size === 0 ? 'none was offered' : `${[...tools.keys()].join(', ')} were offered`;

/** Undefined where the text is no JSON object. */
function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
