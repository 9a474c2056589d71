import type { RolloutResult, Verdict } from '../../store/records/records.schema.js';
import { atifTrajectory } from './atif.js';
import { exceptionInfo } from './exception-info.js';
import { type JobTotals, jobResult } from './job-result.js';
import { jobConfig, jobLock, trialConfig, trialLock } from './trial-config.js';
import { type HarborJob, isoTime, type TrialRecords, type TrialStep, trialName } from './trial-records.js';
import { trialResult } from './trial-result.js';

/** Paths relative to the job's folder, and their contents. */
export type JobFiles = Map<string, string>;

/**
 * The files of one trial in Harbor's layout. A task of one step has `agent/` and `verifier/` at the
 * top of the trial; of several, each step has its own under `steps/<name>/`.
 */
export function trialFiles(job: HarborJob, trial: TrialRecords): JobFiles {
  const files: JobFiles = new Map();
  const name = trialName(trial.result);
  const several = trial.task.evalCriteria.steps.length > 1;
  files.set(`${name}/config.json`, json(trialConfig(job, trial.task, trial.result)));
  files.set(`${name}/lock.json`, json(trialLock(job, trial.task, trial.result.isolation)));
  files.set(`${name}/result.json`, json(trialResult(job, trial)));
  files.set(`${name}/trial.log`, trialLog(trial));
  const exception = exceptionInfo(trial.result);
  if (exception) {
    files.set(`${name}/exception.txt`, `${exception.exception_type}: ${exception.exception_message}\n`);
  }
  for (const step of trial.steps) {
    const folder = several ? `${name}/steps/${step.name}` : name;
    files.set(`${folder}/agent/trajectory.json`, json(atifTrajectory(job.run, trial, step)));
    if (step.verdict) addVerdict(files, folder, step.verdict, step);
  }
  return files;
}

/** The files of the job itself. `locks` are the trials' own, in any order. */
export function jobFiles(
  job: HarborJob,
  results: readonly RolloutResult[],
  locks: readonly Record<string, unknown>[],
  totals: JobTotals,
): JobFiles {
  return new Map([
    ['config.json', json(jobConfig(job))],
    ['lock.json', json(jobLock(job, locks))],
    ['result.json', json(jobResult(job, results, totals))],
    ['job.log', results.map(logLine).join('')],
  ]);
}

function addVerdict(files: JobFiles, folder: string, verdict: Verdict, { name }: TrialStep): void {
  files.set(`${folder}/verifier/test-stdout.txt`, verdict.testOutput);
  const keys = Object.keys(verdict.rewards);
  if (keys.length > 1 || (keys.length === 1 && keys[0] !== 'reward')) {
    files.set(`${folder}/verifier/reward.json`, json(verdict.rewards));
  } else if (verdict.reward !== null) {
    files.set(`${folder}/verifier/reward.txt`, `${verdict.reward}\n`);
  }
  if (verdict.failure) files.set(`${folder}/verifier/failure.txt`, `${name}: ${verdict.failure.message}\n`);
}

function trialLog({ attempts, result }: TrialRecords): string {
  const lines = attempts.map(({ attempt, stopReason, failure, timings }) => {
    const why = failure ? `: ${oneLine(failure.message)}` : '';
    return `${isoTime(timings.finishedAt)} attempt ${attempt} ended with ${stopReason}${why}\n`;
  });
  return lines.join('') + logLine(result);
}

function logLine(result: RolloutResult): string {
  const outcome = result.reward === null ? 'no reward' : `reward ${result.reward}`;
  return `${isoTime(result.timings.finishedAt)} ${trialName(result)} ${result.stopReason}, ${outcome}, ${result.turns} turns\n`;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
