import { createHash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { TOOL_NAMES } from '../../agent/tools/registry.js';
import { BASE_IMAGE } from '../../core/base-image.js';
import type { ImageSource, Task } from '../../core/rollout/task.schema.js';
import { MINUTE_MS } from '../../core/time.js';
import { writeTar } from '../../sandbox/tar-entries.js';
import type { Environment, LoadedTask } from '../environment.js';
import { ALL_TASKS, selectTasks, type TaskSelection } from '../select-tasks.js';
import { type PromptRow, readPrompts } from './read-prompts.js';

/** Marks a run's source: what follows is the path of the list. */
const PREFIX = 'prompts:';
/** Where rows that name no image and no folder run. */
const DEFAULT_IMAGE = BASE_IMAGE;
const DEFAULT_CWD = '/workspace';
const BUILD_TIMEOUT_MS = 10 * MINUTE_MS;

export const promptsSource = (file: string): string => `${PREFIX}${resolve(file)}`;
export const isPrompts = (source: string): boolean => source.startsWith(PREFIX);

export interface PromptsOptions {
  /** As `promptsSource` names it. */
  source: string;
  selection?: TaskSelection;
}

/**
 * A list of prompts as an environment: every row is an item of its own, `prompt-<line>`, and has no tests. Nothing
 * is scored: rewards are null, and that is no failure.
 */
export function promptsEnvironment({ source, selection = ALL_TASKS }: PromptsOptions): Environment {
  const file = source.slice(PREFIX.length);
  return {
    name: basename(file).replace(/\.jsonl(\.gz)?$/, ''),
    source,
    passThreshold: 1,
    tools: TOOL_NAMES,
    async *items(cursor: string | null): AsyncIterable<LoadedTask> {
      const rows = (await readPrompts(file)).map((row) => ({ taskId: `prompt-${row.line}`, row }));
      let begun = cursor === null;
      for (const { taskId, row } of selectTasks(rows, selection)) {
        if (begun) yield await promptTask(taskId, file, row);
        begun ||= taskId === cursor;
      }
    },
    formatPrompt: (task: Task): string => task.inputs.instruction,
    sandbox: (task: Task) => task.metadata.sandbox,
    computeReward: async (task, step, { now }) => ({
      schemaVersion: 1,
      step: task.evalCriteria.steps[step]?.name ?? 'main',
      reward: null,
      rewards: {},
      unscored: true,
      isolation: 'shared',
      failure: null,
      stopReason: null,
      suspectedTampering: [],
      trusted: [],
      testOutput: '',
      durationMs: 0,
      verifiedAt: now(),
    }),
  };
}

async function promptTask(taskId: string, file: string, row: PromptRow): Promise<LoadedTask> {
  const blobs = new Map<string, () => Promise<Uint8Array>>();
  const keep = (tar: Uint8Array) => {
    const sha256 = digestOf(tar);
    blobs.set(sha256, async () => tar);
    return { sha256, bytes: tar.length };
  };
  const cwd = row.cwd ?? (row.image === null ? DEFAULT_CWD : null);
  const image: ImageSource =
    row.image === null
      ? { kind: 'dockerfile', context: keep(await dockerfile(cwd)), buildTimeoutMs: BUILD_TIMEOUT_MS }
      : { kind: 'image', name: row.image };
  const tests = keep(await writeTar([]));
  return { blobs, task: taskOf(taskId, file, row, { image, cwd, tests }) };
}

interface Made {
  image: ImageSource;
  cwd: string | null;
  tests: Task['evalCriteria']['steps'][number]['verifier']['tests'];
}

function taskOf(taskId: string, file: string, row: PromptRow, { image, cwd, tests }: Made): Task {
  const { prompt, own } = row;
  return {
    schemaVersion: 1,
    taskId,
    inputs: { instruction: prompt },
    evalCriteria: {
      stepReward: 'mean',
      steps: [
        {
          name: 'main',
          instruction: prompt,
          agentTimeoutMs: null,
          agentUser: null,
          verifier: {
            isolation: 'shared',
            timeoutMs: MINUTE_MS,
            user: null,
            env: {},
            sandbox: null,
            collect: [],
            tests,
          },
          minReward: null,
          healthcheck: null,
          artifacts: [],
          workdirFiles: null,
          solution: null,
          solutionEnv: {},
        },
      ],
    },
    metadata: {
      sandbox: {
        image,
        cpus: null,
        memoryMb: null,
        storageMb: null,
        network: 'none',
        env: {},
        workdir: cwd,
        healthcheck: null,
      },
      category: null,
      difficulty: null,
      source: { kind: 'prompts', path: file, name: String(row.line), digest: digestOf(JSON.stringify(row)) },
      tags: [],
      own,
    },
  };
}

const digestOf = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** The folder is made in the image: an image alone does not say that it has one. */
function dockerfile(cwd: string | null): Promise<Uint8Array> {
  const content = Buffer.from(`FROM ${DEFAULT_IMAGE}\nWORKDIR ${cwd}\n`);
  const file = { path: 'Dockerfile', type: 'file' as const, mode: 0o644, mtime: new Date(0), target: '' };
  return writeTar([{ ...file, content }]);
}
