import type { MadeTurn } from './sealed-rollout.js';

export interface TurnsOptions {
  /** Model calls of a rollout. */
  turns?: number;
  /** Sampled ids of a call. */
  length?: number;
  policyVersion?: string | null;
  /** Every prompt is another conversation: each turn is a training sequence of its own. */
  broken?: boolean;
  /** False: an endpoint that tells no ids. */
  ids?: boolean;
}

/**
 * Turns as an endpoint samples them, the same for the same rollout: each prompt goes on from what was prompted and
 * sampled before, and ids and log-probabilities tell rollouts, turns and places apart.
 */
export function madeTurns(rollout: number, options: TurnsOptions = {}): MadeTurn[] {
  const { turns = 2, length = 5, policyVersion = null, broken = false, ids = true } = options;
  const made: MadeTurn[] = [];
  let before: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const start = 1_000 + (rollout % 10_000) * 1_000 + turn * 100;
    const prompt = [...(broken ? [] : before), start, start + 1, start + 2];
    const completion = Array.from({ length }, (_, i) => start + 10 + i);
    before = [...prompt, ...completion];
    made.push({
      promptTokenIds: ids ? prompt : null,
      completionTokenIds: ids ? completion : null,
      logprobs: ids ? completion.map((_, i) => -(1 + i + turn * 10 + (rollout % 7)) / 64) : null,
      policyVersion,
    });
  }
  return made;
}
