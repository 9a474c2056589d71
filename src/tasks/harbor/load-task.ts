import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadedTask } from '../environment.js';
import { references } from '../resolve-env.js';
import { buildTask, taskIdOf } from './build-task.js';
import { checkLayout } from './check-layout.js';
import { parseTaskToml } from './parse-task-toml.js';
import { type TaskProblem, taskInvalid } from './problem.js';
import { readFolder } from './task-folder.js';
import { TaskSource } from './task-source.js';
import { findUnsupported } from './unsupported.js';

export interface TaskInspection {
  dir: string;
  taskId: string;
  /** Null when there are problems. */
  loaded: LoadedTask | null;
  problems: TaskProblem[];
  /** Worth knowing, not wrong. */
  notes: TaskProblem[];
}

/** Reads a Harbor task folder. Error: `task_invalid` with every problem in `details.problems`. */
export async function loadHarborTask(dir: string): Promise<LoadedTask> {
  const { loaded, problems } = await inspectHarborTask(dir);
  if (loaded === null) throw taskInvalid(dir, problems);
  return loaded;
}

/** As `loadHarborTask`, answering what is wrong instead of throwing it. */
export async function inspectHarborTask(dir: string): Promise<TaskInspection> {
  const answer = { dir, taskId: taskIdOf(dir), loaded: null, notes: [] };
  const file = join(dir, 'task.toml');
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) {
    const folder = await stat(dir).catch(() => null);
    const message = folder === null ? 'the task folder does not exist' : 'a task needs a task.toml';
    return { ...answer, problems: [{ file, line: null, found: null, accepted: null, message }] };
  }
  const { config, problems, lineOf } = parseTaskToml(text, file);
  if (config === null) return { ...answer, problems };
  const source = new TaskSource(dir, config, await readFolder(dir, problems), lineOf);
  source.problems.push(...problems, ...findUnsupported(config, file, lineOf));
  checkLayout(source);
  const task = await buildTask(source);
  noteVariables(source);
  const found = distinct(source.problems);
  const loaded = found.length === 0 ? { task, blobs: source.blobs } : null;
  return { ...answer, loaded, problems: found, notes: distinct(source.notes) };
}

/** Whoever runs a task decides which variables of the host it gets, and so is told what it asks for. */
function noteVariables(source: TaskSource): void {
  const { environment, verifier, steps = [], solution } = source.config;
  const tables: { env: Record<string, string> | undefined; path: (string | number)[] }[] = [
    { env: environment?.env, path: ['environment', 'env'] },
    ...[
      { own: verifier, path: [] as (string | number)[] },
      ...steps.map((step, i) => ({ own: step.verifier, path: ['steps', i] })),
    ].flatMap(({ own, path }) => [
      { env: own?.env, path: [...path, 'verifier', 'env'] },
      { env: own?.environment?.env, path: [...path, 'verifier', 'environment', 'env'] },
    ]),
    { env: solution?.env, path: ['solution', 'env'] },
  ];
  for (const { env = {}, path } of tables)
    for (const [key, value] of Object.entries(env))
      for (const { variable, fallback } of references(value))
        source.noteAt([...path, key], {
          message: `asks for ${variable} of the host's environment`,
          found: value,
          accepted: `--pass-env ${variable}${fallback === undefined ? '' : ', or its default'}`,
        });
}

function distinct(problems: readonly TaskProblem[]): TaskProblem[] {
  const known = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return [...known.values()];
}
