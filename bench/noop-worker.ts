import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import type { Session } from '../src/runs/session.js';
import { connectNative } from '../src/temporal/native-connection.js';
import { WORKFLOW_WORKER } from '../src/worker/host-workers.js';
import { windowed } from './windowed.js';

const TASK_QUEUE = 'bench-noop';
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, log() {} };

/** A worker with the settings of ours, for workflows whose activities do nothing. */
export class NoopWorker {
  private started = 0;

  private constructor(
    private readonly session: Session,
    private readonly stop: () => Promise<void>,
  ) {}

  static async start(session: Session): Promise<NoopWorker> {
    const { cluster } = session;
    const workflowsPath = fileURLToPath(new URL('./workflows/noop.js', import.meta.url));
    const connection = await connectNative(cluster);
    const worker = await Worker.create({
      ...WORKFLOW_WORKER,
      connection,
      namespace: cluster.namespace,
      taskQueue: TASK_QUEUE,
      workflowBundle: await bundleWorkflowCode({ workflowsPath, logger: SILENT }),
      activities: { nothing: async () => undefined },
    });
    const done = worker.run();
    return new NoopWorker(session, async () => {
      worker.shutdown();
      await done;
      await connection.close();
    });
  }

  /** Runs `count` workflows of so many activities each, `concurrency` at a time; answers milliseconds. */
  async run(count: number, activities: number, concurrency: number): Promise<number> {
    const { workflow } = this.session.client;
    const begun = performance.now();
    await windowed(count, concurrency, async () => {
      this.started += 1;
      await workflow.execute('noop', {
        taskQueue: TASK_QUEUE,
        workflowId: `bench-noop/${this.started}`,
        args: [activities],
      });
    });
    return performance.now() - begun;
  }

  close(): Promise<void> {
    return this.stop();
  }
}
