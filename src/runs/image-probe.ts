import { randomUUID } from 'node:crypto';
import { LongrunError } from '../core/errors.js';
import type { SandboxSpec, Task } from '../core/rollout/task.schema.js';
import type { SandboxDriver } from '../sandbox/sandbox.js';
import type { LoadedTask } from '../tasks/environment.js';
import type { TaskProblem } from '../tasks/harbor/problem.js';
import { loadDriver } from './resolve-sandbox.js';

type Found = Omit<TaskProblem, 'file' | 'line'>;

export interface ImageProbe {
  /** Builds and starts what a task runs in; answers what is wrong with it. */
  check(loaded: LoadedTask): Promise<Found[]>;
  close(): Promise<void>;
}

/** Asks the engine itself whether images can be built, and started: they need /bin/sh. */
export async function openImageProbe(
  name: 'docker' | 'bubblewrap',
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<ImageProbe> {
  const driver = await loadDriver(name);
  return {
    check: async (loaded) => {
      signal.throwIfAborted();
      say(`Checking the image of ${loaded.task.taskId}`);
      const found: Found[] = [];
      for (const spec of specsOf(loaded.task)) found.push(...(await probeSpec(driver, spec, loaded, signal)));
      return found;
    },
    close: () => driver.close(),
  };
}

/** The agent's sandbox and those that verifiers bring along; each image once. */
function specsOf(task: Task): SandboxSpec[] {
  const separate = task.evalCriteria.steps.flatMap(({ verifier }) => verifier.sandbox ?? []);
  const byImage = new Map(
    [task.metadata.sandbox, ...separate].map((spec) => [JSON.stringify(spec.image), spec]),
  );
  return [...byImage.values()];
}

async function probeSpec(
  driver: SandboxDriver,
  spec: SandboxSpec,
  { task, blobs }: LoadedTask,
  signal: AbortSignal,
): Promise<Found[]> {
  const context = spec.image.kind === 'dockerfile' ? blobs.get(spec.image.context.sha256) : undefined;
  const owner = { namespace: 'validate', hostId: 'validate', runId: 'validate', sample: 0, attempt: 1 };
  try {
    const image = await driver.prepareImage(
      spec.image,
      async () => (await context?.()) ?? new Uint8Array(),
      signal,
    );
    const sandbox = await driver.create(
      {
        image,
        spec: { ...spec, network: 'none' },
        owner: { ...owner, clusterId: randomUUID(), taskId: task.taskId, role: 'agent' },
      },
      signal,
    );
    await sandbox.destroy();
    return [];
  } catch (error) {
    if (!LongrunError.is(error) || error.retryable) throw error;
    return [{ message: error.message, found: null, accepted: error.hint ?? null }];
  }
}
