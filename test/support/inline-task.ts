import { createHash } from 'node:crypto';
import type {
  BlobRef,
  ImageSource,
  SandboxSpec,
  Task,
  TaskStep,
  VerifierSpec,
} from '../../src/core/rollout/task.schema.js';
import { writeTar } from '../../src/sandbox/tar-entries.js';
import type { LoadedTask } from '../../src/tasks/environment.js';

export interface InlineStep {
  name: string;
  instruction?: string;
  /** tests/test.sh */
  test: string;
  /** solution/solve.sh */
  solution?: string;
  /** Brought into the working directory before the step, by name. */
  files?: Record<string, string>;
  step?: Partial<TaskStep>;
  verifier?: Partial<VerifierSpec>;
}

export interface InlineSteps {
  taskId: string;
  steps: InlineStep[];
  stepReward?: 'mean' | 'final';
  image?: string;
  /** Built instead of `image`. */
  dockerfile?: string;
  sandbox?: Partial<SandboxSpec>;
}

export interface InlineTask
  extends Omit<InlineStep, 'name' | 'files'>,
    Omit<InlineSteps, 'steps' | 'stepReward'> {}

/** A task whose files are given as text: what a Harbor folder of the same content loads as. */
export function inlineTask(options: InlineTask): Promise<LoadedTask> {
  const { taskId, image, dockerfile, sandbox, ...step } = options;
  return inlineSteps({
    taskId,
    steps: [{ name: 'main', ...step }],
    ...(image === undefined ? {} : { image }),
    ...(dockerfile === undefined ? {} : { dockerfile }),
    ...(sandbox === undefined ? {} : { sandbox }),
  });
}

/** The same for a task of several steps. */
export async function inlineSteps(options: InlineSteps): Promise<LoadedTask> {
  const blobs = new TaskBlobs();
  const steps: TaskStep[] = [];
  for (const step of options.steps) steps.push(await taskStep(blobs, options.taskId, step));
  const image: ImageSource =
    options.dockerfile === undefined
      ? { kind: 'image', name: options.image ?? 'debian:bookworm-slim' }
      : {
          kind: 'dockerfile',
          context: await blobs.keep({ Dockerfile: options.dockerfile }),
          buildTimeoutMs: 60_000,
        };
  const task: Task = {
    schemaVersion: 1,
    taskId: options.taskId,
    inputs: { instruction: steps[0]?.instruction ?? '' },
    evalCriteria: { stepReward: options.stepReward ?? 'mean', steps },
    metadata: {
      sandbox: {
        image,
        cpus: null,
        memoryMb: null,
        storageMb: null,
        network: 'none',
        env: {},
        workdir: '/app',
        healthcheck: null,
        ...options.sandbox,
      },
      category: 'tests',
      difficulty: null,
      source: { kind: 'inline', path: '', name: null, digest: '0' },
      tags: [],
    },
  };
  return { task, blobs: blobs.loaders };
}

async function taskStep(blobs: TaskBlobs, taskId: string, options: InlineStep): Promise<TaskStep> {
  const { name, test, solution, files } = options;
  return {
    name,
    instruction: options.instruction ?? `Do ${taskId}.`,
    agentTimeoutMs: 60_000,
    agentUser: null,
    verifier: {
      isolation: 'shared',
      timeoutMs: 20_000,
      user: null,
      env: {},
      sandbox: null,
      collect: [],
      tests: await blobs.keep({ 'test.sh': test }),
      ...options.verifier,
    },
    minReward: null,
    healthcheck: null,
    artifacts: [],
    workdirFiles: files === undefined ? null : await blobs.keep(files),
    solution: solution === undefined ? null : await blobs.keep({ 'solve.sh': solution }),
    solutionEnv: {},
    ...options.step,
  };
}

class TaskBlobs {
  readonly loaders = new Map<string, () => Promise<Uint8Array>>();

  async keep(files: Record<string, string>): Promise<BlobRef> {
    const entries = Object.entries(files).map(([path, text]) => ({
      path,
      type: 'file' as const,
      mode: 0o755,
      mtime: new Date(0),
      content: Buffer.from(text),
      target: '',
    }));
    const tar = await writeTar(entries);
    const sha256 = createHash('sha256').update(tar).digest('hex');
    this.loaders.set(sha256, async () => tar);
    return { sha256, bytes: tar.length };
  }
}

/** Scores 1 when /app/answer holds `expected`, else 0. */
export function answerTest(expected: string): string {
  return `#!/bin/bash
mkdir -p /logs/verifier
if [ "$(cat /app/answer 2>/dev/null)" = "${expected}" ]; then echo 1 > /logs/verifier/reward.txt
else echo 0 > /logs/verifier/reward.txt; fi
`;
}
