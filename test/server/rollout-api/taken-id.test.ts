import { expect, it } from 'vitest';
import { readPlan } from '../../../src/store/runs.js';
import { MODEL_RUN } from '../../support/model-run.js';
import { planRun } from '../../support/plan-run.js';
import { listener, servingStore, threeTasks } from './rollout-api-host.js';

it('an id under which another run would be answered, or cancelled, is refused', async () => {
  const tasks = await threeTasks();
  const store = await servingStore(tasks);
  await planRun(store, 'serving.nightly', tasks, MODEL_RUN);
  const api = await listener(store);
  const asked = await api.post('/v1/rollouts', { id: 'nightly' });
  expect(asked).toMatchObject({ status: 409, body: { error: { code: 'already_exists' } } });
  expect((await api.delete('/v1/rollouts/nightly')).status).toBe(404);
  expect(api.cluster.cancelled).toEqual([]);
  expect((await readPlan(store, 'serving.nightly')).tasks).toHaveLength(3);
});
