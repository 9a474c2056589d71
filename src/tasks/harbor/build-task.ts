import { basename, resolve } from 'node:path';
import type { BlobRef, SandboxSpec, Task, TaskStep } from '../../core/rollout/task.schema.js';
import { buildArtifacts } from './build-artifacts.js';
import { buildImage } from './build-image.js';
import { buildHealthcheck, buildSandboxSpec, milliseconds } from './build-sandbox-spec.js';
import { buildVerifier, refuseNetworkChange, type StepPlace, userName } from './build-verifier.js';
import { readInstruction } from './check-layout.js';
import { dockerfileWorkdir } from './docker-context.js';
import { addFolderBlob } from './folder-blob.js';
import { digestOf, subfolder } from './task-folder.js';
import type { TaskSource } from './task-source.js';
import { type StepToml, taskTomlSchema } from './task-toml.schema.js';
import type { KeyPath } from './toml-lines.js';

/** The task that a Harbor folder describes; only to be used when `source` gathered no problems. */
export async function buildTask(source: TaskSource): Promise<Task> {
  const { config } = source;
  const environment = config.environment ?? taskTomlSchema.shape.environment.unwrap().parse({});
  const image = await buildImage(source, environment, 'environment');
  const sandbox = await withStepWorkdir(source, buildSandboxSpec(environment, image));
  const steps: TaskStep[] = [];
  if (config.steps?.length) {
    for (const [i, step] of config.steps.entries()) {
      steps.push(await buildStep(source, sandbox, step, ['steps', i], `steps/${step.name}/`));
    }
  } else {
    steps.push(await buildStep(source, sandbox, null, [], ''));
  }
  const { category, difficulty, tags } = config.metadata ?? {};
  const keywords = config.task?.keywords ?? [];
  return {
    schemaVersion: 1,
    taskId: taskIdOf(source.dir),
    inputs: { instruction: steps[0]?.instruction ?? '' },
    evalCriteria: { stepReward: config.multi_step_reward_strategy ?? 'mean', steps },
    metadata: {
      sandbox,
      category: text(category),
      difficulty: text(difficulty),
      source: {
        kind: 'harbor',
        path: resolve(source.dir),
        name: config.task?.name ?? null,
        digest: await digestOf(source.entries),
      },
      tags: [...new Set([...(Array.isArray(tags) ? tags : []), ...keywords])].filter(isText),
    },
  };
}

/** The folder's name as an id: other characters become `-`. */
export function taskIdOf(dir: string): string {
  const name = basename(resolve(dir)).replace(/[^A-Za-z0-9._-]+/g, '-');
  return name.replace(/^[^A-Za-z0-9]+/, '').slice(0, 100) || 'task';
}

async function buildStep(
  source: TaskSource,
  sandbox: SandboxSpec,
  step: StepToml | null,
  path: KeyPath,
  folder: string,
): Promise<TaskStep> {
  const { config } = source;
  const place: StepPlace = { path, folder, verifier: (step ? step.verifier : config.verifier) ?? {} };
  const networkPath = step?.agent?.network_mode === undefined ? [] : path;
  const mode = step?.agent?.network_mode ?? config.agent?.network_mode;
  refuseNetworkChange(source, [...networkPath, 'agent', 'network_mode'], mode, sandbox);
  const timeout = step?.agent?.timeout_sec ?? config.agent?.timeout_sec;
  const declared = [
    ...(config.artifacts ?? []).map((artifact, i) => ({ artifact, at: ['artifacts', i] })),
    ...(step?.artifacts ?? []).map((artifact, i) => ({ artifact, at: [...path, 'artifacts', i] })),
  ];
  return {
    name: step?.name ?? 'main',
    instruction: await readInstruction(source, `${folder}instruction.md`),
    agentTimeoutMs: timeout === undefined ? null : milliseconds(timeout),
    agentUser: userName(step?.agent?.user ?? config.agent?.user),
    verifier: await buildVerifier(source, place, sandbox),
    minReward: step?.min_reward ?? null,
    healthcheck: buildHealthcheck(step?.healthcheck),
    artifacts: buildArtifacts(
      declared.map(({ artifact }) => artifact),
      sandbox.workdir,
      (index, problem) => source.refuse(declared[index]?.at ?? ['artifacts'], problem),
    ),
    workdirFiles: folder === '' ? null : await blobOf(source, `${folder}workdir`),
    solution: await buildSolution(source, folder),
    solutionEnv: config.solution?.env ?? {},
  };
}

/** Files that steps bring go to the working directory, so it has to be known where that is. */
async function withStepWorkdir(source: TaskSource, sandbox: SandboxSpec): Promise<SandboxSpec> {
  const bringing = source.entries.find(({ path }) => /^steps\/[^/]+\/workdir\/./.test(path));
  if (bringing === undefined || sandbox.workdir !== null) return sandbox;
  const dockerfile = sandbox.image.kind === 'dockerfile' ? await source.read('environment/Dockerfile') : null;
  const workdir = dockerfileWorkdir(dockerfile ?? '');
  if (workdir === null) {
    const accepted = 'workdir = "/…" in [environment]';
    source.refuse(['environment'], {
      message: 'steps bring files for a working directory that is not known',
      found: bringing.path,
      accepted,
    });
  }
  return { ...sandbox, workdir };
}

/** The step's solution, else that of the task. */
async function buildSolution(source: TaskSource, folder: string): Promise<BlobRef | null> {
  const own = `${folder}solution`;
  const from = source.find(`${own}/solve.sh`) === undefined ? 'solution' : own;
  if (source.find(`${from}/solve.sh`) !== undefined) return blobOf(source, from);
  source.note(`${own}/solve.sh`, 'there is no solution, so the oracle agent cannot run this task');
  return null;
}

async function blobOf(source: TaskSource, folder: string): Promise<BlobRef | null> {
  const entries = subfolder(source.entries, folder, source.problems);
  return entries.length === 0 ? null : addFolderBlob(entries, source.blobs);
}

const isText = (value: unknown): value is string => typeof value === 'string';
const text = (value: unknown): string | null => (isText(value) ? value : null);
