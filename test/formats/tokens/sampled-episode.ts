import type { Episode, EpisodeTurn } from '../../../src/core/trajectory/episode.schema.js';
import { unrecordedTurn } from '../../../src/formats/episode.js';
import {
  assistant,
  episode,
  result,
  reward,
  timeStep,
  tool,
  user,
} from '../../trajectories/support/episodes.js';

export interface Sampled {
  prompt: number[] | null;
  sampled: number[] | null;
  logprobs?: number[] | null;
  policyVersion?: string | null;
  sequenceId?: string | null;
  advantage?: number | null;
}

/** Two turns of which the second prompt extends the first: one training sequence of seven ids. */
export const TWO_TURNS: Sampled[] = [
  { prompt: [10, 11, 12], sampled: [20, 21], logprobs: [-0.3, -0.1] },
  { prompt: [10, 11, 12, 20, 21, 13], sampled: [22], logprobs: [-0.02] },
];

/** A second prompt that spells the first answer otherwise: two sequences. */
export const RESPELLED: Sampled[] = [
  { prompt: [10, 11], sampled: [20, 21], logprobs: [-0.5, -0.25] },
  { prompt: [10, 11, 29, 12], sampled: [22], logprobs: [-1] },
];

/**
 * An episode with ids and log-probabilities made up for the test (no endpoint sampled them): a turn that calls a
 * tool for each but the last, which answers in words.
 */
export function sampledEpisode(
  sample: number,
  value: number | null,
  turns: readonly Sampled[] = TWO_TURNS,
  facts: Partial<Episode> = {},
): Episode {
  const steps = turns.map(({ advantage = null }, i) => {
    const call = { id: `call_${i}`, name: 'terminal', arguments: '{"command":"ls"}' };
    const last = i === turns.length - 1;
    const said = last ? [assistant('Done.')] : [assistant('', [call]), result(call.id, 'terminal', 'a.txt')];
    const step = timeStep(
      i === 0 ? [user('List the files.'), ...said] : said,
      i === 0 ? [tool('terminal')] : null,
    );
    return { ...step, advantage };
  });
  return episode(`run__list-files__${sample}`, steps, {
    rollout: { runId: 'run', taskId: 'list-files', sample, attempt: 1 },
    groupId: 'run/list-files',
    turns: turns.map(turnOf),
    rewards: value === null ? [] : [reward(value)],
    ...facts,
  });
}

function turnOf({ prompt, sampled, logprobs, policyVersion, sequenceId }: Sampled): EpisodeTurn {
  return {
    ...unrecordedTurn(),
    model: 'policy',
    promptTokenIds: prompt,
    completionTokenIds: sampled,
    logprobs: logprobs === undefined ? (sampled?.map(() => -0.1) ?? null) : logprobs,
    policyVersion: policyVersion ?? null,
    sequenceId: sequenceId ?? null,
  };
}
