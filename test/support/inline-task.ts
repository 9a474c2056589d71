import { createHash } from 'node:crypto';
import type { BlobRef, Task, TaskStep } from '../../src/core/task.schema.js';
import { writeTar } from '../../src/sandbox/tar-entries.js';
import type { LoadedTask } from '../../src/tasks/environment.js';

export interface InlineTask {
  taskId: string;
  instruction?: string;
  /** tests/test.sh */
  test: string;
  /** solution/solve.sh */
  solution?: string;
  step?: Partial<TaskStep>;
  image?: string;
}

/** A task whose files are given as text: what a Harbor folder of the same content loads as. */
export async function inlineTask(options: InlineTask): Promise<LoadedTask> {
  const blobs = new Map<string, () => Promise<Uint8Array>>();
  const keep = async (name: string, text: string): Promise<BlobRef> => {
    const content = Buffer.from(text);
    const tar = await writeTar([
      { path: name, type: 'file', mode: 0o755, mtime: new Date(0), content, target: '' },
    ]);
    const sha256 = createHash('sha256').update(tar).digest('hex');
    blobs.set(sha256, async () => tar);
    return { sha256, bytes: tar.length };
  };
  const step: TaskStep = {
    name: 'main',
    instruction: options.instruction ?? `Do ${options.taskId}.`,
    agentTimeoutMs: 60_000,
    agentUser: null,
    verifier: {
      isolation: 'shared',
      timeoutMs: 20_000,
      user: null,
      env: {},
      sandbox: null,
      collect: [],
      tests: await keep('test.sh', options.test),
    },
    minReward: null,
    healthcheck: null,
    artifacts: [],
    workdirFiles: null,
    solution: options.solution === undefined ? null : await keep('solve.sh', options.solution),
    solutionEnv: {},
    ...options.step,
  };
  const task: Task = {
    schemaVersion: 1,
    taskId: options.taskId,
    inputs: { instruction: step.instruction },
    evalCriteria: { stepReward: 'mean', steps: [step] },
    metadata: {
      sandbox: {
        image: { kind: 'image', name: options.image ?? 'debian:bookworm-slim' },
        cpus: null,
        memoryMb: null,
        storageMb: null,
        network: 'none',
        env: {},
        workdir: '/app',
        healthcheck: null,
      },
      category: 'tests',
      difficulty: null,
      source: { kind: 'inline', path: '', name: null, digest: '0' },
      tags: [],
    },
  };
  return { task, blobs };
}

/** Scores 1 when /app/answer holds `expected`, else 0. */
export function answerTest(expected: string): string {
  return `#!/bin/bash
mkdir -p /logs/verifier
if [ "$(cat /app/answer 2>/dev/null)" = "${expected}" ]; then echo 1 > /logs/verifier/reward.txt
else echo 0 > /logs/verifier/reward.txt; fi
`;
}
