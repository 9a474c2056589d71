import { LongrunError } from '../core/errors.js';
import type { RunDocument } from '../records/summary.js';
import { openImageProbe } from '../runs/image-probe.js';
import { loadTasks } from '../runs/load-tasks.js';
import { resolveSandbox } from '../runs/resolve-sandbox.js';
import type { TaskProblem } from '../tasks/harbor/problem.js';
import { type ValidationReport, validateTasks } from '../tasks/validate.js';
import { type LaunchOptions, type LaunchOutcome, launchRun } from './launch-run.js';

export interface CheckOptions extends LaunchOptions {
  named: string;
  /** Build and start images, too. */
  images: boolean;
  /** Run the solutions, too. */
  oracle: boolean;
}

/** Checks tasks from the cheapest to the dearest way; the solutions are run only where nothing else is wrong. */
export async function checkTasks(options: CheckOptions): Promise<ValidationReport[]> {
  const reports = await readAndProbe(options);
  if (!options.oracle || reports.some(({ problems }) => problems.length > 0)) return reports;
  const document = await runOracle(options);
  return reports.map((report) => ({ ...report, problems: oracleProblems(document, report) }));
}

async function readAndProbe(options: CheckOptions): Promise<ValidationReport[]> {
  const { named, signal, say } = options;
  const folder = await folderOf(named);
  const driver = options.images ? await resolveSandbox(options.settings.sandbox) : null;
  if (driver === null || driver === 'memory') return await validateTasks(folder);
  const probe = await openImageProbe(driver, signal, say);
  try {
    return await validateTasks(folder, { probe: probe.check });
  } finally {
    await probe.close();
  }
}

/** Built-in environments are folders, too: the one that holds their first task. */
async function folderOf(named: string): Promise<string> {
  if (named.includes('/') || named === '.' || named === '..') return named;
  const { environment, tasks } = await loadTasks(named);
  if (environment.source !== 'builtin') return named;
  const { dirname } = await import('node:path');
  return dirname(tasks[0]?.task.metadata.source.path ?? named);
}

async function runOracle(options: CheckOptions): Promise<RunDocument> {
  let outcome: LaunchOutcome | null = null;
  await launchRun({
    ...options,
    onEnd: async (found) => {
      outcome = found;
    },
  });
  const ended = outcome as LaunchOutcome | null;
  if (ended?.kind === 'ended') return ended.document;
  throw new LongrunError('cancelled', 'The check was interrupted before every solution had run.', {
    hint: 'Run it again.',
    exitCode: 130,
  });
}

function oracleProblems({ run, rollouts }: RunDocument, report: ValidationReport): TaskProblem[] {
  const results = rollouts.filter(({ taskId }) => taskId === report.taskId);
  const short = results.filter(({ reward }) => reward === null || reward < run.config.passThreshold);
  return short.map((result) => ({
    file: report.dir,
    line: null,
    found: result.reward === null ? result.stopReason : `reward ${result.reward}`,
    accepted: `reward of at least ${run.config.passThreshold}`,
    message: `its solution does not pass its tests${result.failure ? `: ${result.failure.message}` : ''} (longrun rollouts show ${result.rolloutId})`,
  }));
}
