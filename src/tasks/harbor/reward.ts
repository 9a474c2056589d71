/** What a verifier left in /logs/verifier; null = the file is missing. */
export interface RewardFiles {
  json: string | null;
  text: string | null;
}

export type RewardReading =
  | { ok: true; reward: number; rewards: Record<string, number> }
  | { ok: false; message: string; hint: string };

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
/** Trainers hold rewards, and the squares of their differences, in 32 bits. */
const LARGEST = 1e15;
const isReward = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) <= LARGEST;
const EXPECTED =
  'A verifier writes one number to /logs/verifier/reward.txt, or {"reward": number} to reward.json.';

/**
 * Harbor's reward contract: reward.json (a flat table of numbers) wins over reward.txt (one number).
 * `reward` is the key `reward`, else the only key. Anything else is a failure that says what was
 * found, never 0.
 */
export function readReward(files: RewardFiles): RewardReading {
  if (files.json !== null) return readJson(files.json);
  if (files.text !== null) return readText(files.text);
  return failure('the tests wrote neither reward.json nor reward.txt to /logs/verifier');
}

function readText(text: string): RewardReading {
  const trimmed = text.trim();
  if (trimmed === '') return failure('reward.txt is empty');
  const value = NUMBER.test(trimmed) ? Number(trimmed) : Number.NaN;
  if (!Number.isFinite(value)) return failure(`reward.txt holds ${quote(trimmed)}, not a finite number`);
  if (!isReward(value)) return failure(`reward.txt holds ${quote(trimmed)}, more than ${LARGEST}`);
  return { ok: true, reward: value, rewards: { reward: value } };
}

function readJson(text: string): RewardReading {
  if (text.trim() === '') return failure('reward.json is empty');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return failure(`reward.json is not JSON: ${quote(text.trim())}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return failure(`reward.json holds ${quote(JSON.stringify(value))}, not a table of numbers`);
  }
  const entries = Object.entries(value as Record<string, unknown>);
  const wrong = entries.find(([, number]) => typeof number !== 'number' || !Number.isFinite(number));
  if (wrong) {
    const [key, found] = wrong;
    return failure(`reward.json: ${quote(key)} is ${quote(JSON.stringify(found))}, not a finite number`);
  }
  const huge = entries.find(([, number]) => !isReward(number));
  if (huge)
    return failure(
      `reward.json: ${quote(huge[0])} is ${quote(JSON.stringify(huge[1]))}, more than ${LARGEST}`,
    );
  return pick(entries as [string, number][]);
}

function pick(entries: [string, number][]): RewardReading {
  const named = entries.find(([key]) => key === 'reward') ?? (entries.length === 1 ? entries[0] : undefined);
  if (named) return { ok: true, reward: named[1], rewards: Object.fromEntries(entries) };
  if (entries.length === 0) return failure('reward.json has no keys');
  const keys = entries.map(([key]) => key).join(', ');
  return failure(`reward.json has the keys ${quote(keys)} and none is called reward`);
}

function failure(message: string): RewardReading {
  return { ok: false, message, hint: EXPECTED };
}

/** Text of the sandbox inside a message of ours: one line, cut, quoted where it is not JSON already. */
function quote(text: string): string {
  const cut = text.length > 120 ? `${text.slice(0, 119)}…` : text;
  return /^[\w.,"{}[\]: +-]*$/.test(cut) ? cut : JSON.stringify(cut);
}
