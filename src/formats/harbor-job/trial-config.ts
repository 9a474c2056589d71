import type { Task } from '../../core/rollout/task.schema.js';
import type { RolloutResult } from '../../store/records/records.schema.js';
import { agentName } from './model-info.js';
import { type HarborJob, trialName } from './trial-records.js';

type Json = Record<string, unknown>;

/** config.json of a job: Harbor's JobConfig, as far as it has a word for our settings. */
export function jobConfig(job: HarborJob): Json {
  const { run } = job;
  const { name, source } = run.environment;
  return {
    job_name: run.runId,
    jobs_dir: job.jobsDir,
    n_attempts: run.config.samples,
    timeout_multiplier: run.config.timeoutMultiplier,
    n_concurrent_trials: run.config.concurrency,
    retry: retryConfig(job),
    environment: environmentConfig(job),
    verifier: {},
    agents: [agentConfig(job)],
    datasets: [source.startsWith('/') ? { path: source } : { name }],
  };
}

/** config.json of a trial: Harbor's TrialConfig. */
export function trialConfig(job: HarborJob, task: Task, result: RolloutResult): Json {
  return {
    task: { path: task.metadata.source.path, source: job.run.environment.name },
    trial_name: trialName(result),
    trials_dir: `${job.jobsDir}/${job.run.runId}`,
    timeout_multiplier: job.run.config.timeoutMultiplier,
    agent: agentConfig(job),
    environment: environmentConfig(job),
    verifier: {},
    job_id: job.uuidOf(job.run.runId),
  };
}

/** lock.json of a trial: what it was resolved to; `isolation` as it was verified, null when it was not. */
export function trialLock(job: HarborJob, task: Task, isolation: string | null): Json {
  const { source } = task.metadata;
  const several = task.evalCriteria.steps.length > 1;
  return {
    schema_version: 2,
    task: {
      name: task.taskId,
      type: 'local',
      digest: `sha256:${source.digest.replace(/^sha256:/, '')}`,
      source: job.run.environment.name,
      path: source.path,
    },
    timeout_multiplier: job.run.config.timeoutMultiplier,
    agent: agentConfig(job),
    environment: environmentConfig(job),
    verifier: { environment_mode: several ? null : verifierMode(isolation) },
  };
}

/** lock.json of a job. */
export function jobLock(job: HarborJob, trials: readonly Json[]): Json {
  return {
    schema_version: 3,
    created_at: new Date(job.run.createdAt).toISOString(),
    harbor: { version: null },
    n_concurrent_trials: job.run.config.concurrency,
    retry: retryConfig(job),
    trials,
  };
}

/** Harbor tells `shared` and `separate` apart; a restarted sandbox is the agent's own. */
export function verifierMode(isolation: string | null): 'shared' | 'separate' | null {
  if (isolation === null) return null;
  return isolation === 'separate' ? 'separate' : 'shared';
}

function retryConfig({ run }: HarborJob): Json {
  return { max_retries: run.config.maxAttempts - 1 };
}

function environmentConfig({ run }: HarborJob): Json {
  const { sandbox } = run.config;
  // A kind that Harbor does not have goes by an import path, which it records and does not check.
  return sandbox === 'docker' ? { type: 'docker' } : { import_path: `longrun:${sandbox}` };
}

function agentConfig({ run }: HarborJob): Json {
  const { agent, model, maxTurns, temperature, seed, contextPolicy } = run.config;
  if (agent !== 'tool-calling') return { name: agentName(run) };
  return {
    name: agentName(run),
    model_name: model,
    kwargs: { max_turns: maxTurns, temperature, seed, context_policy: contextPolicy },
  };
}
