import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { OwnerStates, RECOVERY_GRACE_MS } from '../../src/worker/reaper/owner-state.js';
import { tempStore } from '../store/temp-store.js';
import { inlineTask } from '../support/inline-task.js';
import { planRun } from '../support/plan-run.js';

/** A cluster that has forgotten every workflow; null = it does not answer. */
function emptyCluster(): { client: Client; answers: boolean } {
  const cluster = {
    answers: true,
    client: {
      workflow: {
        getHandle: (workflowId: string) => ({
          async describe() {
            if (!cluster.answers) throw new Error('no answer');
            throw new WorkflowNotFoundError('forgotten', workflowId, undefined);
          },
        }),
      },
    } as unknown as Client,
  };
  return cluster;
}

const owner = (sample: number) => ({ runId: 'run', taskId: 'task', sample, attempt: 1 });

async function hostWith() {
  const store = await tempStore();
  await planRun(store, 'run', [await inlineTask({ taskId: 'task', test: 'true' })]);
  const cluster = emptyCluster();
  const time = { now: 0 };
  return { cluster, time, owners: new OwnerStates(cluster.client, store, () => time.now) };
}

it('rollouts that a cluster has forgotten are kept in mind for no longer than they have sandboxes', async () => {
  const { owners } = await hostWith();
  for (let sample = 0; sample < 500; sample++) {
    expect(await owners.of(owner(sample))).toBe('unreachable');
    owners.roundEnded();
    expect(owners.waiting).toBe(1);
  }
  owners.roundEnded();
  expect(owners.waiting).toBe(0);
});

it('a rollout waits for being recovered from when it was first missed, whether or not its cluster answers meanwhile', async () => {
  const { cluster, owners, time } = await hostWith();
  expect(await owners.of(owner(0))).toBe('unreachable');
  owners.roundEnded();
  cluster.answers = false;
  time.now = RECOVERY_GRACE_MS / 2;
  expect(await owners.of(owner(0))).toBe('unreachable');
  owners.roundEnded();
  cluster.answers = true;
  time.now = RECOVERY_GRACE_MS - 1;
  expect(await owners.of(owner(0))).toBe('unreachable');
  owners.roundEnded();
  time.now = RECOVERY_GRACE_MS;
  expect(await owners.of(owner(0))).toBe('unknown');
});
