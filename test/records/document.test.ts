import { describe, expect, it } from 'vitest';
import { buildRunDocument, runDocumentSchema } from '../../src/records/document.js';
import { keys } from '../../src/store/keys.js';
import { toWire } from '../../src/store/wire/wire.js';
import { recordExampleRun } from '../report/example-run.js';
import { tempStore } from '../store/temp-store.js';

async function wireDocument() {
  const store = await tempStore();
  await recordExampleRun(store);
  return toWire(runDocumentSchema, await buildRunDocument(store, 'r', 'finished')) as Record<string, never>;
}

describe('the document of a run', () => {
  it('has run, summary and rollouts, in snake case throughout', async () => {
    const document = await wireDocument();
    expect(Object.keys(document)).toEqual(['run', 'summary', 'rollouts', 'replays', 'reviews']);
    expect(document).toMatchObject({
      run: { run_id: 'r', status: 'finished', config: { pass_threshold: 1 } },
      summary: {
        n_rollouts: 8,
        n_scored: 6,
        n_infrastructure: 1,
        n_cancelled: 1,
        pass_at: { '1': { estimate: 0.5, tasks: 4, tasks_left_out: 1 } },
      },
    });
    expect(JSON.stringify(document)).not.toMatch(/"[a-z]+[A-Z][A-Za-z]*":/);
  });

  it('tells of each rollout what a reader of results needs', async () => {
    const [rollout] = (await wireDocument()).rollouts as unknown as object[];
    for (const key of [
      'rollout_id',
      'task_id',
      'sample',
      'attempt',
      'reward',
      'rewards',
      'stop_reason',
      'failure_class',
      'turns',
      'usage',
      'cost_usd',
      'timings',
    ]) {
      expect(rollout).toHaveProperty(key);
    }
  });

  it('takes the category of a task without results from the task', async () => {
    const store = await tempStore();
    await recordExampleRun(store);
    await store.remove(`${keys.rollouts('r')}/`);
    const { summary } = await buildRunDocument(store, 'r', 'running');
    expect(summary.nOpen).toBe(8);
    expect(summary.categories.map((found) => found.category)).toEqual(['file_ops', 'shell']);
  });

  it('of an unknown run is an error that names it', async () => {
    await expect(buildRunDocument(await tempStore(), 'nothing', '')).rejects.toThrow(/"nothing"/);
  });
});
