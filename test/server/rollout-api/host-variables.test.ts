import { describe, expect, it } from 'vitest';
import { readRun } from '../../../src/store/runs.js';
import { answerTest, inlineTask } from '../../support/inline-task.js';
import { threat } from '../../support/threat.js';
import { listener, SERVING, servingStore } from './rollout-api-host.js';

const judged = () =>
  inlineTask({
    taskId: 'one',
    test: answerTest('42'),
    verifier: { env: { KEY: '${JUDGE_KEY:-none}${PATH}' } },
  });

describe(threat('a task', 'variables of the host'), () => {
  it('a group that is asked for gets what the serving run passes, whatever its endpoint', async () => {
    const store = await servingStore([await inlineTask({ taskId: 'one', test: answerTest('42') })], {
      passEnv: ['JUDGE_KEY'],
    });
    const api = await listener(store);
    const { body } = await api.post('/v1/rollouts', { policy: { base_url: 'http://127.0.0.1:9/other' } });
    expect((await readRun(store, body.run_id)).config.passEnv).toEqual(['JUDGE_KEY']);
  });

  it('one of a task that would not get what it asks for is not started, and the answer names it', async () => {
    // That run was started before there was a list: its own groups go on, those that are asked for get nothing.
    const store = await servingStore([await judged()], { passEnv: null });
    const api = await listener(store);
    const { status, body } = await api.post('/v1/rollouts', {});
    expect(status).toBe(400);
    expect(body.error.code).toBe('task_invalid');
    expect(body.error.message).toContain('asks for PATH in verifier.env.KEY, which is not passed to tasks');
    expect(body.error.message).not.toContain('JUDGE_KEY in');
    expect(await store.children('runs')).toEqual([SERVING]);
  });
});
