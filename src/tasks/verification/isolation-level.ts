import type { Artifact, Task, TaskStep, VerifierSpec } from '../../core/rollout/task.schema.js';
import type { ISOLATION_LEVELS } from '../../core/run/run-config.schema.js';
import { isRoot } from '../../sandbox/spool.js';

export type IsolationLevel = (typeof ISOLATION_LEVELS)[number];

/** Stands for the sandbox's working directory, which only the sandbox knows for certain. */
export const WORKDIR_ARTIFACT: Artifact = { source: '.', destination: '.', exclude: [] };

const STRENGTH: Record<IsolationLevel, number> = { shared: 0, restarted: 1, separate: 2 };

/** Whether tests at `level` are less shielded from the agent than at `asked`. */
export const isWeaker = (level: IsolationLevel, asked: IsolationLevel): boolean =>
  STRENGTH[level] < STRENGTH[asked];

/** The task as a run verifies it: `--verify` (null = none) goes before what the task says. */
export function atLevel(task: Task, level: IsolationLevel | null): Task {
  if (level === null) return task;
  const steps = task.evalCriteria.steps.map((step) => stepAtLevel(step, level));
  return { ...task, evalCriteria: { ...task.evalCriteria, steps } };
}

function stepAtLevel(step: TaskStep, level: IsolationLevel): TaskStep {
  const { verifier } = step;
  if (verifier.isolation === level) return step;
  if (level !== 'separate') return { ...step, verifier: inPlace(verifier, level) };
  // A task that was not made for it names no artifacts: what the agent worked on is carried over.
  const artifacts = step.artifacts.length === 0 ? [WORKDIR_ARTIFACT] : step.artifacts;
  return { ...step, artifacts, verifier: { ...verifier, isolation: level } };
}

/** In the agent's own sandbox there is no other image to run the tests in. */
function inPlace(verifier: VerifierSpec, level: IsolationLevel): VerifierSpec {
  return { ...verifier, isolation: level, sandbox: null };
}

/** What of the agent's sandbox the tests rely on, and the agent could have bent. Users as an engine takes them. */
export function trustedAt(
  level: IsolationLevel,
  users: { agent: string; verifier: string },
): ('files' | 'processes')[] {
  if (level === 'separate') return [];
  const hasPower = isRoot(users.agent) || nameOf(users.agent) === nameOf(users.verifier);
  if (!hasPower) return [];
  return level === 'shared' ? ['files', 'processes'] : ['files'];
}

const nameOf = (user: string): string => user.split(':', 1)[0] ?? '';

export const ARTIFACTS_HINT = 'Declare artifacts in its task.toml, or use --verify restarted.';

/** Why a task cannot be verified in a fresh sandbox. */
export const noArtifacts = (taskId: string, workdir: string): string =>
  `Task ${taskId} cannot be verified separately: it declares no artifacts, and its working directory (${workdir}) is no folder of its own.`;
