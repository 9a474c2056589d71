import { createHash } from 'node:crypto';
import type { AdvantageMember, AdvantageStep } from '../core/advantage/index.js';
import type { TrialRecords } from '../formats/harbor-job/trial-records.js';

const DIGEST_DIGITS = 32;

/**
 * A rollout as the estimators see it: a step per turn. In a task of several steps the reward of each verdict
 * stands at the last turn of its step; else only the whole rollout has one.
 */
export function advantageMember({ result, steps }: TrialRecords): AdvantageMember {
  if (result.reward === null) return { reward: null, steps: [] };
  const several = steps.length > 1;
  return {
    reward: result.reward,
    steps: steps.flatMap(({ turns, verdict }, step) =>
      turns.map(
        ({ call }, i): AdvantageStep => ({
          tokens: call.completionTokenIds?.length ?? call.usage.completionTokens,
          reward: several && i === turns.length - 1 ? (verdict?.reward ?? null) : null,
          anchor: i === 0 ? (step === 0 ? 'start' : null) : observed(turns[i - 1]?.results ?? []),
        }),
      ),
    ),
  };
}

/**
 * Names the state after some tool results: GiGPO's anchor is what the agent observes. Commands that print nothing
 * tell of no state, and are equal to nothing.
 */
function observed(results: readonly { content: string }[]): string | null {
  const text = results.map(({ content }) => content).join('\0');
  if (text.replaceAll('\0', '').trim() === '') return null;
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_DIGITS);
}
