import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttemptKey } from '../../src/core/ids.js';
import { writeFork } from '../../src/replay/write-fork.js';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { installationSchema, placementSchema } from '../../src/store/records/records.schema.js';
import { type SnapshotRecord, snapshotRecordSchema } from '../../src/store/records/replay.schema.js';
import { docker, removeContainersOf } from '../support/docker-host.js';
import { inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { runAgainst } from '../support/model-run.js';
import { type Answer, runs, type SeenCall, says } from '../support/model-server.js';
import { planned, replays } from '../support/replaying.js';

const DRIVERS = [
  { sandbox: 'docker', image: 'debian:bookworm-slim' },
  { sandbox: 'bubblewrap', image: 'host' },
] as const;
const BROKEN = 'TEST_BROKEN_VERIFIER';
const SECRET = 'TEST_SECRET';

let host: LongrunHost;
beforeAll(async () => {
  process.env[SECRET] = 'a-value-of-this-host';
  host = await LongrunHost.start();
  await host.startWorker({ sliceMs: 500 });
});
afterAll(async () => {
  delete process.env[BROKEN];
  delete process.env[SECRET];
  await removeContainersOf(host.store);
  const installation = await readRecord(host.store, installationSchema, keys.installation);
  const images = await docker(
    'images',
    '-q',
    '--filter',
    `label=dev.longrun.cluster=${installation?.clusterId}`,
  );
  if (images !== '') await docker('rmi', '--force', ...new Set(images.split('\n')));
  await host.stop();
});

/** Scores what the agent wrote; writes no score at all while the host says so. */
const TEST = `#!/bin/bash
if [ "$BROKEN" = yes ]; then exit 1; fi
if [ "$(cat /app/answer)" = 42 ] && [ "$(wc -l < /etc/longrun-log)" = 2 ]; then echo 1 > /logs/verifier/reward.txt
else echo 0 > /logs/verifier/reward.txt; fi
`;
const script = (call: SeenCall): Answer => {
  if (call.turn === 0) return runs('mkdir -p /app; echo 42 > /app/answer; echo one >> /etc/longrun-log');
  return call.turn === 1 ? runs('echo two >> /etc/longrun-log') : says('Done.');
};
const attempt = (runId: string, n: number, sample = 0): AttemptKey => ({
  runId,
  taskId: 'one',
  sample,
  attempt: n,
});
const snapshotOf = (runId: string): Promise<SnapshotRecord | null> =>
  readRecord(host.store, snapshotRecordSchema, keys.finalSnapshot(attempt(runId, 1), 0));
const placementOf = (key: AttemptKey) => readRecord(host.store, placementSchema, keys.placement(key));

describe.each(DRIVERS)('in $sandbox sandboxes', ({ sandbox, image }) => {
  const run = async (runId: string, config: { keepSnapshots: boolean; maxAttempts?: number }) => {
    const task = await inlineTask({
      taskId: 'one',
      test: TEST,
      image,
      sandbox: { env: { GIVEN: `\${${SECRET}}` } },
      verifier: { env: { BROKEN: `\${${BROKEN}:-no}` } },
    });
    const passEnv = [SECRET, BROKEN];
    return runAgainst(host, runId, [task], script, { sandbox, passEnv, ...config });
  };

  describe.each([{ keepSnapshots: true }, { keepSnapshots: false }])(
    'with snapshots kept: $keepSnapshots',
    (config) => {
      const by = config.keepSnapshots ? 'snapshot' : 'commands';

      it('a verification that failed is made up for without asking the model', async () => {
        const runId = `made-up-${sandbox}-${by}`;
        process.env[BROKEN] = 'yes';
        const { rollouts, server } = await run(runId, { ...config, maxAttempts: 1 });
        process.env[BROKEN] = 'no';
        expect(rollouts[0]).toMatchObject({ stopReason: 'verifier_error', reward: null });
        expect((await snapshotOf(runId)) !== null).toBe(config.keepSnapshots);
        const before = server.seen.length;
        const report = await replays(host, runId, { failed: true, mode: 'verify' });
        expect(server.seen.length).toBe(before);
        expect(report.rollouts).toMatchObject([
          {
            counts: true,
            result: {
              attempt: 2,
              reward: 1,
              stopReason: 'natural',
              turns: 3,
              replay: { mode: 'verify', by, commands: config.keepSnapshots ? 0 : 2, differences: 0 },
            },
          },
        ]);
        expect((await placementOf(attempt(runId, 2)))?.fromSnapshot).toBe(config.keepSnapshots);
      });

      it('a scored rollout is verified again to the same reward, which does not count', async () => {
        const runId = `again-${sandbox}-${by}`;
        const { rollouts, server } = await run(runId, config);
        expect(rollouts[0]?.reward).toBe(1);
        const report = await replays(host, runId, { rollouts: ['one/0'], mode: 'verify' });
        expect(server.seen).toHaveLength(3);
        expect(report.rollouts[0]).toMatchObject({ counts: false, result: { reward: 1 } });
        // What the agent did is seen whichever way its state came back.
        expect(report.rollouts[0]?.result?.suspectedTampering).toEqual(rollouts[0]?.suspectedTampering);
      });
    },
  );

  it('a fork executes the commands up to its turn once, and parts from there', async () => {
    const runId = `forked-${sandbox}`;
    const { server } = await run(runId, { keepSnapshots: false });
    const before = server.seen.length;
    const fork = await planned(host.store, runId, {
      rollouts: ['one/0'],
      mode: 'fork',
      fromTurn: 1,
      times: 3,
    });
    const { run: forked } = await writeFork(host.store, fork, '0.0.0');
    const { rollouts } = await host.finish(forked.runId);
    expect(rollouts.map(({ reward }) => reward)).toEqual([1, 1, 1]);
    expect(rollouts.map(({ replay }) => replay?.by)).toEqual(['commands', 'snapshot', 'snapshot']);
    expect(rollouts.map(({ replay }) => replay?.commands)).toEqual([1, 0, 0]);
    expect(rollouts[2]?.replay).toMatchObject({
      mode: 'fork',
      nth: 3,
      fromTurn: 1,
      source: { runId, taskId: 'one', sample: 0, attempt: 1 },
    });
    const asked = server.seen.slice(before);
    expect(asked.map(({ turn }) => turn).sort()).toEqual([1, 1, 1, 2, 2, 2]);
    expect(new Set(asked.map(({ seed }) => seed)).size).toBe(3);
    expect(asked.map(({ seed }) => seed)).not.toContain(server.seen[0]?.seed);
  });
});

describe('a snapshot of a container', () => {
  it('holds no value that the host gave it, and says whose it is', async () => {
    const snapshot = await snapshotOf('made-up-docker-snapshot');
    const inspected = await docker('image', 'inspect', String(snapshot?.image));
    const [config] = JSON.parse(inspected);
    expect(inspected).not.toContain('a-value-of-this-host');
    expect(config.Config.Labels).toMatchObject({ 'dev.longrun.run': 'made-up-docker-snapshot' });
  });

  it('that is gone leaves the commands to be executed again', async () => {
    const runId = 'made-up-docker-snapshot';
    await docker('rmi', '--force', String((await snapshotOf(runId))?.image));
    const report = await replays(host, runId, { rollouts: ['one/0'], mode: 'verify' });
    expect(report.rollouts[0]?.result).toMatchObject({ reward: 1, replay: { by: 'commands', commands: 2 } });
  });
});
