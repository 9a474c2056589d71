import { badInput } from '../../core/errors.js';
import { STOP_REASONS, type StopReason } from '../../core/rollout/outcome.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { ExportFormatName } from '../../formats/export-format.js';
import { boundFilters } from '../filter/bounds.js';
import { offeredTools } from '../filter/offered-tools.js';
import { DEFAULT_FILTER, type FilterOptions } from '../filter/options.js';

/** One rule that a rollout has to meet to become a row. */
export interface SampleRule {
  name: string;
  /** Why it is left out; null = it stays. */
  check(episode: Episode): string | null;
}

/** Rows that a model is fine-tuned on as they are. */
const SFT_FORMATS: readonly ExportFormatName[] = ['sharegpt', 'messages'];

export interface RuleOptions {
  /** Expressions, as `min-reward=0.5`. */
  filters: readonly string[];
  keepNoReasoning: boolean;
}

/** The rules for rows of single rollouts in a format. Groups for trainers are kept whole: they get none. */
export function sampleRules(format: ExportFormatName, options: RuleOptions): SampleRule[] {
  const asked = parseFilters(options.filters);
  if (!SFT_FORMATS.includes(format)) return boundFilters(asked);
  const requireReasoning = asked.requireReasoning || !options.keepNoReasoning;
  return [...boundFilters({ ...asked, requireReasoning }), { name: 'tool_names', check: unknownTool }];
}

/** A call of a tool that was not offered. */
function unknownTool(episode: Episode): string | null {
  for (const { turn, messages, tools } of offeredTools(episode)) {
    if (tools === null) continue;
    for (const message of messages) {
      if (message.role !== 'assistant') continue;
      const wrong = message.toolCalls.find((call) => !tools.has(call.function.name));
      if (wrong) return `turn ${turn + 1}: there is no tool "${wrong.function.name}"`;
    }
  }
  return null;
}

type Setter = (options: FilterOptions, value: string, expression: string) => Partial<FilterOptions>;

const SETTERS: Record<string, Setter> = {
  'min-reward': (_, value, expression) => ({ minReward: numberOf(value, expression) }),
  'max-reward': (_, value, expression) => ({ maxReward: numberOf(value, expression) }),
  'min-turns': (_, value, expression) => ({ minTurns: countOf(value, expression) }),
  'max-turns': (_, value, expression) => ({ maxTurns: countOf(value, expression) }),
  'max-tokens': (_, value, expression) => ({ maxTokens: countOf(value, expression) }),
  'stop-reason': ({ stopReasons }, value, expression) => ({
    stopReasons: [...stopReasons, stopReasonOf(value, expression)],
  }),
  'require-tool-calls': (_, value, expression) => ({ requireToolCalls: flagOf(value, expression) }),
  'require-reasoning': (_, value, expression) => ({ requireReasoning: flagOf(value, expression) }),
};

/** Expressions as the flags of `traj filter` are named. Errors: `bad_input` naming the one that cannot be used. */
export function parseFilters(expressions: readonly string[]): FilterOptions {
  let options: FilterOptions = DEFAULT_FILTER;
  for (const expression of expressions) {
    const [name = '', ...rest] = expression.split('=');
    const setter = Object.hasOwn(SETTERS, name) ? SETTERS[name] : undefined;
    if (!setter)
      throw badInput(
        `--filter: found "${expression}", accepted: ${Object.keys(SETTERS).join(', ')}.`,
        'For example: --filter min-reward=0.5',
      );
    options = { ...options, ...setter(options, rest.join('='), expression) };
  }
  refuseEmpty('reward', options.minReward, options.maxReward);
  refuseEmpty('turns', options.minTurns, options.maxTurns);
  return options;
}

function refuseEmpty(what: string, min: number | null, max: number | null): void {
  if (min !== null && max !== null && min > max)
    throw badInput(`--filter: min-${what} ${min} is more than max-${what} ${max}: no row could pass.`);
}

function numberOf(text: string, expression: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw unusable(expression, 'a number after the =');
}

function countOf(text: string, expression: string): number {
  if (/^\d+$/.test(text) && Number(text) >= 1) return Number(text);
  throw unusable(expression, 'a whole number of at least 1 after the =');
}

function flagOf(text: string, expression: string): boolean {
  if (text === '') return true;
  throw unusable(expression, 'no value');
}

function stopReasonOf(text: string, expression: string): StopReason {
  const reason = STOP_REASONS.find((name) => name === text);
  if (reason) return reason;
  throw unusable(expression, STOP_REASONS.join(', '));
}

const unusable = (expression: string, accepted: string) =>
  badInput(`--filter: found "${expression}", accepted: ${accepted}.`, 'For example: --filter min-reward=0.5');
