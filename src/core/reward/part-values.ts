import { effectiveSignal } from '../trajectory/effective-reward.js';
import type { Episode } from '../trajectory/episode.schema.js';
import type { RewardSignal, RewardSource } from '../trajectory/reward-signal.schema.js';
import type { PartWeight } from './composite.js';
import {
  IMPLICIT_NAMES,
  IMPLICIT_WEIGHTS,
  type ImplicitName,
  implicitCounts,
  implicitLevels,
  implicitSignal,
} from './implicit-signal.js';
import { answersOf, toolCallsOf } from './tool-calls.js';

/** Parts that every episode may have; beside them `environment.<key>`, `reward_model.<criterion>`, `implicit.<signal>`. */
export const PLAIN_PARTS = [
  'environment',
  'user',
  'reward_model',
  'implicit',
  'tool_success',
  'completed',
  'length_penalty',
] as const;

/** Tokens of answers at which `length_penalty` is whole, unless the weights file says otherwise. */
export const PENALTY_LIMIT = 16_384;
const CHARS_PER_TOKEN = 4;

/** The score that a reward model has just given, with its criteria. */
export interface Scored {
  score: number;
  components: Readonly<Record<string, number>>;
}

/** Whether a part of this name can exist; what stands behind `environment.` and `reward_model.` is for the data to say. */
export function isPartName(name: string): boolean {
  if (PLAIN_PARTS.some((plain) => plain === name)) return true;
  if (name.startsWith('implicit.')) return isImplicit(name.slice('implicit.'.length));
  return /^(environment|reward_model)\..+/.test(name);
}

/** Whether a part can only come from a reward model. */
export const needsRewardModel = (name: string): boolean => /^reward_model(\.|$)/.test(name);

/** What an episode has of a part: levels in [0, 1], penalties in [-1, 0], signals as they were given. Null = nothing. */
export function partValue(
  episode: Episode,
  name: string,
  part: PartWeight,
  scored: Scored | null,
): number | null {
  const dot = name.indexOf('.');
  const key = name.slice(dot + 1);
  if (name === 'tool_success') return toolSuccess(episode);
  if (name === 'completed') return episode.outcome.completed ? 1 : 0;
  if (name === 'length_penalty') return lengthPenalty(episode, part.limit ?? PENALTY_LIMIT);
  if (name === 'implicit') return implicitSignal(episode, null)?.value ?? null;
  if (name.startsWith('implicit.')) return implicitPart(episode, key as ImplicitName);
  if (name === 'reward_model') return scored?.score ?? recordedScore(episode);
  if (name.startsWith('reward_model.'))
    return scored?.components[key] ?? componentOf(episode, 'reward_model', key);
  if (name.startsWith('environment.')) return componentOf(episode, 'environment', key);
  return effectiveSignal(episode.rewards, [name as RewardSource])?.value ?? null;
}

/** Tokens of the model's answers: as the endpoint counted them, else four characters to a token. */
export function answerTokens(episode: Episode): { tokens: number; counted: boolean } {
  const counts = episode.turns.map((turn) => turn.usage?.completionTokens ?? null);
  if (counts.length > 0 && counts.every((count) => count !== null))
    return { tokens: counts.reduce((sum, count) => sum + count, 0), counted: true };
  const chars = answersOf(episode).reduce(
    (sum, { content, reasoning, toolCalls }) =>
      sum +
      (typeof content === 'string' ? content.length : JSON.stringify(content).length) +
      (reasoning?.length ?? 0) +
      toolCalls.reduce((all, call) => all + call.function.name.length + call.function.arguments.length, 0),
    0,
  );
  return { tokens: Math.ceil(chars / CHARS_PER_TOKEN), counted: false };
}

/** Of the tool calls whose result is known, the share that succeeded. */
export function toolSuccess(episode: Episode): number | null {
  const known = toolCallsOf(episode).filter(({ success }) => success !== null);
  return known.length === 0 ? null : known.filter(({ success }) => success).length / known.length;
}

const isImplicit = (name: string): boolean => IMPLICIT_NAMES.some((known) => known === name);

const lengthPenalty = (episode: Episode, limit: number): number =>
  -Math.min(1, answerTokens(episode).tokens / limit);

/** What speaks against an episode counts below zero, so that a positive weight never rewards it. */
function implicitPart(episode: Episode, name: ImplicitName): number {
  const level = implicitLevels(implicitCounts(episode))[name];
  return IMPLICIT_WEIGHTS[name] < 0 ? -level : level;
}

/** The score itself, not what a shape has made of it. */
function recordedScore(episode: Episode): number | null {
  const signal = newestJudged(episode.rewards);
  return signal === null ? null : (signal.components?.score ?? signal.value);
}

function componentOf(episode: Episode, source: RewardSource, key: string): number | null {
  const signal =
    source === 'reward_model' ? newestJudged(episode.rewards) : effectiveSignal(episode.rewards, [source]);
  return signal?.components?.[key] ?? null;
}

/** A composite is made of judgements and is none. */
const newestJudged = (signals: readonly RewardSignal[]): RewardSignal | null =>
  effectiveSignal(
    signals.filter(({ shape }) => shape !== 'composite'),
    ['reward_model'],
  );
