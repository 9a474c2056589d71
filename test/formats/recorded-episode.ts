import { effectiveReward } from '../../src/core/trajectory/effective-reward.js';
import type { Episode } from '../../src/core/trajectory/episode.schema.js';
import { episodeFromRecords } from '../../src/formats/episode.js';
import type { ExportContext } from '../../src/formats/export-format.js';
import type { TrialStep } from '../../src/formats/harbor-job/trial-records.js';
import { assembleTrajectory } from '../../src/formats/trajectory.js';
import type { RolloutResult } from '../../src/store/records/records.schema.js';
import { attemptOf, TOOLS, task, turns, verdict } from '../report/recorded-run.js';
import { result, runRecord } from '../store/fixtures.js';

export const PROMPT = [
  { role: 'system', content: 'You solve tasks.', label: 'system' },
  { role: 'user', content: 'Do it', label: 'task' },
] as const;

export const recordedStep = (overrides: Partial<TrialStep> = {}): TrialStep => ({
  name: 'main',
  prompt: PROMPT,
  tools: TOOLS,
  turns: turns(),
  verdict: verdict(),
  ...overrides,
});

/** A sealed rollout as an episode, as it comes from its records. */
export function recordedEpisode(
  steps: TrialStep[] = [recordedStep()],
  found: RolloutResult = result(),
): Episode {
  const trial = {
    task: task(
      't',
      steps.map(({ name }) => name),
    ),
    result: found,
    attempts: [attemptOf(found)],
    steps,
  };
  const rollout = { runId: 'r', taskId: 't', sample: found.sample };
  const attempt = attemptOf(found);
  const trajectory = assembleTrajectory({
    rollout,
    task: trial.task,
    attempt,
    steps,
    model: 'some/model',
    seed: null,
  });
  return episodeFromRecords(runRecord(), trial, trajectory);
}

export const exportContext = (options: ExportContext['options'] = {}): ExportContext => ({
  tools: ['terminal'],
  rewardOf: ({ rewards }) => effectiveReward(rewards),
  options,
});
