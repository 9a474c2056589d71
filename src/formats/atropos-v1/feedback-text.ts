import { REWARD_QUALITY, type RewardSignal } from '../../core/trajectory/reward-signal.schema.js';

const WORDS: Readonly<Record<string, number>> = { up: 1, '👍': 1, down: 0, '👎': 0 };

/** What a person said of a session last: `up`, `down` or a number, and why. Null when nobody said anything. */
export function feedbackText(rewards: readonly RewardSignal[]): string | null {
  const said = rewards.findLast(({ source }) => source === 'user');
  if (said === undefined) return null;
  const word = said.value === 1 ? 'up' : said.value === 0 ? 'down' : String(said.value);
  return said.note ? `${word}: ${said.note}` : word;
}

/** The same as a reward; null for a text that says neither up nor down nor a number. */
export function feedbackSignal(text: string): RewardSignal | null {
  const [, word = '', note = null] = /^\s*(\S+?)\s*(?::\s*(.*))?$/su.exec(text) ?? [];
  const value = WORDS[word.toLowerCase()] ?? (word === '' ? Number.NaN : Number(word));
  if (!Number.isFinite(value)) return null;
  return {
    source: 'user',
    quality: REWARD_QUALITY.user,
    value,
    shape: null,
    parts: null,
    by: null,
    at: null,
    note,
  };
}
