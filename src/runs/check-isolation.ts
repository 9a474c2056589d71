import { badInput } from '../core/errors.js';
import type { TaskStep } from '../core/rollout/task.schema.js';
import type { RunConfig } from '../core/run/run-config.schema.js';
import { readTar } from '../sandbox/tar-entries.js';
import type { LoadedTask } from '../tasks/environment.js';
import { dockerfileWorkdir } from '../tasks/harbor/docker-context.js';
import { ARTIFACTS_HINT, isWeaker, noArtifacts } from '../tasks/verification/isolation-level.js';

const SHOWN_TASKS = 3;

/**
 * Whether the tasks can be verified at the level that the run asks for. Answers warnings, a line each; throws
 * `bad_input` for a task that has not what the level needs.
 */
export async function checkIsolation(
  tasks: readonly LoadedTask[],
  { verify, sandbox }: Pick<RunConfig, 'verify' | 'sandbox'>,
): Promise<string[]> {
  if (verify === null) return [];
  for (const loaded of tasks) {
    if (verify === 'separate') await requireArtifacts(loaded);
    else await requireTests(loaded);
  }
  const warnings: string[] = [];
  const weakened = tasks.filter(({ task }) => task.evalCriteria.steps.some(weakens(verify)));
  if (weakened.length > 0) {
    const which = `${weakened.length} ${weakened.length === 1 ? 'task' : 'tasks'} (${shown(weakened)})`;
    const levels = new Set(weakened.flatMap(({ task }) => task.evalCriteria.steps.map(levelOf)));
    warnings.push(
      `--verify ${verify} weakens ${which}: asked for ${[...levels].join(', ')}, so scores can be tampered with more easily.`,
    );
  }
  if (sandbox === 'memory' && verify === 'restarted')
    warnings.push('The in-memory sandbox has no processes: a restarted one is the same as a shared one.');
  return warnings;
}

const levelOf = ({ verifier }: TaskStep) => verifier.isolation;

const weakens = (verify: NonNullable<RunConfig['verify']>) => (step: TaskStep) =>
  isWeaker(verify, levelOf(step));

/** A fresh sandbox gets artifacts only; where a task names none, its working directory, if it has one. */
async function requireArtifacts(loaded: LoadedTask): Promise<void> {
  const { task } = loaded;
  const wanting = ({ verifier, artifacts }: TaskStep) =>
    verifier.isolation !== 'separate' && artifacts.length === 0;
  if (!task.evalCriteria.steps.some(wanting)) return;
  // Of an image that is pulled only its sandbox knows: such a task fails at its verification.
  const workdir = task.metadata.sandbox.workdir ?? (await builtWorkdir(loaded));
  if (workdir === '/') throw badInput(noArtifacts(task.taskId, workdir), ARTIFACTS_HINT);
}

async function builtWorkdir({ task, blobs }: LoadedTask): Promise<string | null> {
  const { image } = task.metadata.sandbox;
  if (image.kind !== 'dockerfile') return null;
  const context = await blobs.get(image.context.sha256)?.();
  const files = context === undefined ? [] : await readTar(context);
  const dockerfile = files.find(({ path }) => path === 'Dockerfile');
  return dockerfile === undefined
    ? null
    : dockerfileWorkdir(Buffer.from(dockerfile.content).toString('utf8'));
}

/** Tests that are part of a verifier's own image are nowhere else. */
async function requireTests({ task, blobs }: LoadedTask): Promise<void> {
  for (const { verifier } of task.evalCriteria.steps) {
    if (verifier.sandbox === null) continue;
    const tests = await blobs.get(verifier.tests.sha256)?.();
    const files = tests === undefined ? [] : await readTar(tests);
    if (files.some(({ path }) => path === 'test.sh')) continue;
    throw badInput(
      `Task ${task.taskId} can only be verified separately: its tests are part of its verifier's image.`,
      'Leave --verify out for it, or deselect it with --task.',
    );
  }
}

function shown(tasks: readonly LoadedTask[]): string {
  const ids = tasks.slice(0, SHOWN_TASKS).map(({ task }) => task.taskId);
  return ids.join(', ') + (tasks.length > SHOWN_TASKS ? ', …' : '');
}
