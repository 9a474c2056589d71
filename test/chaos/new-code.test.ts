import { describe, expect, it } from 'vitest';
import { type RolloutKey, rolloutWorkflowId } from '../../src/core/ids.js';
import { until } from '../support/until.js';
import { atWork } from './support/at-work.js';
import { ChaosRun } from './support/chaos-run.js';
import { editedWorker } from './support/edited-copy.js';
import { expectInvariants } from './support/invariants.js';
import { longrunJson } from './support/longrun-command.js';
import { watchRecovery } from './support/recovery.js';

const PLACING = "  progress.phase = 'placing';";
/** A step more, for attempts that begin from now on: what docs/operations.md says how to do. */
const compatible = (source: string) =>
  source.replace(PLACING, `${PLACING}\n  if (patched('rest-first')) await sleep(50);`);
/** The same step without asking how old the history is. */
const incompatible = (source: string) => source.replace(PLACING, `${PLACING}\n  await sleep(50);`);

describe.concurrent('a worker with new code in the middle of a run', () => {
  it('replays the old histories where the change is marked as one, and takes new rollouts by the new code', async ({
    onTestFinished,
  }) => {
    const chaos = await ChaosRun.start({ runId: 'new-code' }, onTestFinished);
    const worker = await chaos.startWorker();
    const script = await editedWorker('workflows/attempt.ts', compatible, onTestFinished);
    await chaos.begin();
    await chaos.underWay();
    await chaos.killWorker(worker);
    chaos.letGo();
    const recovered = await watchRecovery(chaos, 'worker deployed with new code (killed, then the new one)');
    const [interrupted] = await atWork(chaos);
    await chaos.startWorker({}, script);
    await recovered();
    await expectInvariants(chaos, { takeovers: 1 });
    const marked = await Promise.all(
      (await chaos.rollouts()).map((key) => has(chaos, key, 'markerRecorded')),
    );
    expect(marked).toContain(true);
    expect(await has(chaos, interrupted as RolloutKey, 'markerRecorded')).toBe(false);
  });

  it('that cannot replay them is answered by longrun runs recover: nothing recorded runs again', async ({
    onTestFinished,
  }) => {
    const chaos = await ChaosRun.start({ runId: 'no-replay' }, onTestFinished);
    const worker = await chaos.startWorker();
    const script = await editedWorker('workflows/attempt.ts', incompatible, onTestFinished);
    await chaos.begin();
    await chaos.underWay();
    await chaos.killWorker(worker);
    chaos.letGo();
    const interrupted = await atWork(chaos);
    await chaos.startWorker({}, script);
    const stuck = () => Promise.all(interrupted.map((key) => has(chaos, key, 'workflowTaskFailed')));
    await until(async () => (await stuck()).includes(true), {
      limitMs: 90_000,
      what: 'an old history does not replay',
    });
    const recovered = await watchRecovery(chaos, 'histories that do not replay (from longrun runs recover)');
    const answer = await longrunJson(chaos.host.stateDir, 'runs', 'recover', chaos.runId);
    expect(answer).toEqual({ run_id: chaos.runId, incarnation: 2 });
    await recovered();
    await expectInvariants(chaos, { takeovers: 2 });
  });
});

/** Whether the newest history of a rollout has an event of this kind. */
async function has(
  chaos: ChaosRun,
  { runId, taskId, sample }: RolloutKey,
  kind: 'markerRecorded' | 'workflowTaskFailed',
): Promise<boolean> {
  const workflowId = rolloutWorkflowId({ runId, taskId, sample });
  const { events } = await chaos.host.client.workflow.getHandle(workflowId).fetchHistory();
  const attributes = `${kind}EventAttributes` as const;
  return (events ?? []).some((event) => event[attributes]);
}
