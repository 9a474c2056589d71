import type { RunConfig } from '../../../src/core/run/run-config.schema.js';
import { EXPORT_FORMATS } from '../../../src/formats/export-format.js';
import { closeGroup } from '../../../src/rollout/books/group-book.js';
import { readPlan, readRun } from '../../../src/store/runs.js';
import type { ArtifactStore } from '../../../src/store/store.js';
import { type OutputOptions, ProcessOutput } from '../../../src/trajectories/process/process-output.js';
import { rowFormat } from '../../../src/trajectories/row-formats.js';
import { wholeRollout } from '../../rollout/whole-rollout.js';
import { answerTest, inlineTask } from '../../support/inline-task.js';
import { MODEL_RUN } from '../../support/model-run.js';
import { planRun } from '../../support/plan-run.js';
import { modelOf, response, rolloutDeps } from '../../support/rollout-deps.js';

const RUN = 'run';
const SIZE = 2;

/**
 * A run of groups of two, all rollouts ended, no group closed yet. `right` says which samples solve their task;
 * samples that are `wild` call a tool that nobody offered first; the answers of even ones have reasoning.
 */
export async function endedRun(
  store: ArtifactStore,
  groups: number,
  { right = (sample: number) => sample % SIZE === 0, wild = (sample: number) => sample < 0 } = {},
  config: Partial<RunConfig> = {},
): Promise<void> {
  const task = await inlineTask({ taskId: 'one', test: answerTest('42') });
  await planRun(store, RUN, [task], { ...MODEL_RUN, groups, groupSize: SIZE, ...config });
  for (let sample = 0; sample < groups * SIZE; sample++) {
    const run = `echo ${right(sample) ? 42 : 41} > /app/answer`;
    const model = modelOf(({ turn }) => {
      const answer = response(turn === 0 ? { run } : { content: 'Done.' });
      const calls = answer.message.toolCalls.map((call) => ({
        ...call,
        name: wild(sample) ? 'grep' : call.name,
      }));
      const reasoning = sample % SIZE === 0 ? 'Let me see.' : null;
      return { ...answer, message: { ...answer.message, reasoning, toolCalls: calls } };
    });
    await wholeRollout({ store, model }, sample);
  }
}

export async function close(store: ArtifactStore, ...indices: number[]): Promise<void> {
  const deps = rolloutDeps({ store, model: modelOf(() => response({})) });
  for (const index of indices) await closeGroup(deps, { runId: RUN, taskId: 'one', index, whole: true });
}

/** Every format, nothing left out for lack of reasoning. */
export const EVERYTHING: Omit<OutputOptions, 'folder'> = {
  formats: EXPORT_FORMATS.map((name) => rowFormat(name)),
  filters: [],
  keepNoReasoning: true,
  keepZeroVariance: false,
  batchGroups: 2,
  batchSize: null,
  force: false,
  revision: { longrunVersion: '0.0.0', gitCommit: null },
};

export async function outputOf(
  store: ArtifactStore,
  folder: string,
  options: Partial<OutputOptions> = {},
): Promise<ProcessOutput> {
  const [run, plan] = await Promise.all([readRun(store, RUN), readPlan(store, RUN)]);
  return ProcessOutput.open(store, run, plan, { ...EVERYTHING, folder, ...options });
}

/** Writes what is closed, and the end of it. */
export async function written(
  store: ArtifactStore,
  folder: string,
  options: Partial<OutputOptions> = {},
): Promise<void> {
  const output = await outputOf(store, folder, options);
  await output.settle(true);
  if (output.failure !== null) throw output.failure;
}
