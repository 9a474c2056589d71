import { badInput } from '../errors.js';
import type { RewardSource } from '../trajectory/reward-signal.schema.js';

const SOURCES: readonly RewardSource[] = ['environment', 'user', 'reward_model', 'implicit'];

const HINT = 'The first source that an episode has counts; a source that is not named never does.';

/** How the option is told of, wherever it is given. */
export const REWARD_ORDER_HELP = `Which source of reward counts, the first that an episode has (default: ${SOURCES.join(',')})`;

/**
 * The value of `--reward-order`: sources of reward by commas, the one that counts first. Sources that
 * are not named do not count at all. Throws `bad_input`.
 */
export function parseRewardOrder(text: string | undefined): readonly RewardSource[] {
  if (text === undefined) return SOURCES;
  const names = text.split(',').map((name) => name.trim().replaceAll('-', '_'));
  const unknown = names.find((name) => !SOURCES.some((source) => source === name));
  if (unknown !== undefined)
    throw badInput(`--reward-order: found "${unknown}", accepted: ${SOURCES.join(', ')}, by commas.`, HINT);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw badInput(`--reward-order: found "${twice}" twice, accepted: each source once.`, HINT);
  return names as RewardSource[];
}
