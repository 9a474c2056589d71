import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import type { LongrunError } from '../../../src/core/errors.js';
import { inspectHarborTask, loadHarborTask } from '../../../src/tasks/harbor/load-task.js';
import { parseTaskToml } from '../../../src/tasks/harbor/parse-task-toml.js';
import type { TaskProblem } from '../../../src/tasks/harbor/problem.js';
import { findUnsupported } from '../../../src/tasks/harbor/unsupported.js';

/** Paths of a folder and what is in them; `-> target` makes a symbolic link. */
export type Files = Record<string, string>;

const made: string[] = [];
afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
});

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'longrun-tasks-'));
  made.push(folder);
  return folder;
}

export async function writeFiles(folder: string, files: Files): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    const at = join(folder, path);
    await mkdir(dirname(at), { recursive: true });
    if (text.startsWith('-> ')) {
      await symlink(text.slice(3), at);
    } else {
      await writeFile(at, text);
      if (path.endsWith('.sh')) await chmod(at, 0o755);
    }
  }
  return folder;
}

/** The least that makes a task. */
export const MINIMAL: Files = {
  'task.toml': '',
  'instruction.md': 'Do it.\n',
  'environment/Dockerfile': 'FROM debian:bookworm-slim\n',
  'tests/test.sh': '#!/bin/sh\necho 1 > /logs/verifier/reward.txt\n',
  'solution/solve.sh': '#!/bin/sh\ntrue\n',
};

/** A task folder in a temporary place: the minimal task with these files over it; null removes one. */
export async function writeTask(files: Record<string, string | null>, name = 'some-task'): Promise<string> {
  const merged = Object.entries({ ...MINIMAL, ...files }).filter(([, text]) => text !== null);
  return writeFiles(join(await temporaryFolder(), name), Object.fromEntries(merged) as Files);
}

/** The task of a task.toml in an otherwise minimal folder. */
export async function loadToml(toml: string, files: Record<string, string | null> = {}) {
  const dir = await writeTask({ 'task.toml': toml, ...files });
  return (await loadHarborTask(dir)).task;
}

/** What is wrong with a folder. */
export async function problemsOf(files: Record<string, string | null>): Promise<TaskProblem[]> {
  return (await inspectHarborTask(await writeTask(files))).problems;
}

/** What is wrong with the text of a task.toml alone. */
export function problemsOfToml(text: string): TaskProblem[] {
  const { config, problems, lineOf } = parseTaskToml(text, 'task.toml');
  return config === null ? problems : findUnsupported(config, 'task.toml', lineOf);
}

export async function errorOf(promise: Promise<unknown>): Promise<LongrunError> {
  return promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => error as LongrunError,
  );
}
