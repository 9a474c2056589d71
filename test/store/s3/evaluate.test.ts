import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readClosedRun } from '../../../src/records/write-summary.js';
import { openStore } from '../../../src/store/index.js';
import { readPlan, readResults } from '../../../src/store/runs.js';
import { connectClient } from '../../../src/temporal/connect.js';
import { createRunClient } from '../../../src/temporal/temporal-run-client.js';
import { startHostWorker } from '../../../src/worker/index.js';
import { answerTest, inlineTask } from '../../support/inline-task.js';
import { MODEL_RUN } from '../../support/model-run.js';
import { after, ModelServer, runs, says } from '../../support/model-server.js';
import { planRun } from '../../support/plan-run.js';
import { borrowEnv, S3Server } from '../../support/s3-server.js';
import { temporaryStateDir } from '../../support/state.js';
import { freshCluster } from '../../support/temporal.js';
import { until } from '../../support/until.js';

const TASKS = 4;
const SAMPLES = 3;
const ROLLOUTS = TASKS * SAMPLES;
const TURNS = 5;
const RUN = 'in-a-bucket';

let server: S3Server;
let giveBack: () => void;

beforeAll(async () => {
  server = await S3Server.start();
  giveBack = borrowEnv(server.env);
});
afterAll(async () => {
  giveBack();
  await server.stop();
});

it('a run with its records in a bucket waits while the bucket is away, and pays for nothing twice', async () => {
  const stateDir = await temporaryStateDir();
  const store = await openStore(stateDir, { LONGRUN_STORE: server.url('team/a') });
  const model = await ModelServer.start(({ turn }) =>
    after(50, turn < TURNS - 1 ? runs(`echo ${turn} >> /app/turns; echo 42 > /app/answer`) : says('Done.')),
  );
  const cluster = await freshCluster();
  const { client, close } = await connectClient(cluster);
  const logger = pino({ level: 'silent' });
  const worker = await startHostWorker({ stateDir, store, cluster, client, logger, sliceMs: 1_000 });
  try {
    const task = (i: number) => inlineTask({ taskId: `task-${i}`, test: answerTest('42') });
    const tasks = await Promise.all(Array.from({ length: TASKS }, (_, i) => task(i)));
    await planRun(store, RUN, tasks, {
      ...MODEL_RUN,
      samples: SAMPLES,
      concurrency: 4,
      baseUrl: model.baseUrl,
    });
    await createRunClient(client, store).start(RUN);

    const sealed = async () => (await readResults(store, RUN, await readPlan(store, RUN))).length;
    await until(async () => (await sealed()) >= 2, { what: 'two rollouts are sealed', limitMs: 100_000 });
    await server.kill();
    const before = model.seen.length;
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    // Calls in the air ended; none was begun whose answer could not be recorded.
    expect(model.seen.length - before).toBeLessThanOrEqual(4);
    await server.up();
    await until(async () => (await readClosedRun(store, RUN)) !== null, {
      what: 'the run has ended',
      limitMs: 150_000,
    });

    const results = await readResults(store, RUN, await readPlan(store, RUN));
    expect(results).toHaveLength(ROLLOUTS);
    for (const result of results) {
      expect(result).toMatchObject({
        stopReason: 'natural',
        reward: 1,
        turns: TURNS,
        attempts: 1,
        failedCalls: 0,
      });
    }
    const lost = results.reduce((sum, { lostCalls }) => sum + lostCalls, 0);
    expect(model.seen.length).toBe(ROLLOUTS * TURNS + lost);
    expect(existsSync(join(stateDir, 'store'))).toBe(false);
  } finally {
    await worker.shutdown();
    await close();
    await model.close();
  }
});
