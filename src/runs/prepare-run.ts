import { resolve } from 'node:path';
import type { Settings } from '../config/settings.schema.js';
import { limitsMoney } from '../core/budget/budget-ceilings.js';
import { badInput } from '../core/errors.js';
import { type GroupConfig, groupConfigSchema } from '../core/group/group-config.schema.js';
import type { RunConfig } from '../core/run/run-config.schema.js';
import type { ServeConfig } from '../core/run/serve-config.schema.js';
import { checkModel } from '../model/index.js';
import { requirePrice } from '../model/require-price.js';
import type { RunRecord } from '../store/records/records.schema.js';
import type { LoadedTask } from '../tasks/environment.js';
import { checkIsolation } from './check-isolation.js';
import { checkPassEnv, passedLines, requireVariables } from './host-variables.js';
import { loadTasks } from './load-tasks.js';
import { recordingOf } from './recording-of.js';
import { requireNetwork } from './require-network.js';
import { resolveSandbox } from './resolve-sandbox.js';
import { newRunId } from './run-id.js';

/** A run that could start: everything that bad input can break was checked, nothing was written. */
export interface PreparedRun {
  run: RunRecord;
  tasks: LoadedTask[];
  /** Lines for the person who starts it. */
  warnings: string[];
}

export interface PrepareOptions {
  settings: Settings;
  env: NodeJS.ProcessEnv;
  longrunVersion: string;
  now: () => number;
}

/**
 * Resolves environment, tasks, model and sandbox. Throws their errors; changes nothing. With `groups` it is a
 * run of mode `process`, with `serve`, too, one of mode `serve`.
 */
export async function prepareRun(
  { settings, env, longrunVersion, now }: PrepareOptions,
  groups: GroupConfig | null = null,
  serve: ServeConfig | null = null,
): Promise<PreparedRun> {
  if (settings.environment === null) {
    throw badInput(
      'There is nothing to run: no environment was named.',
      'Name a built-in environment, a task folder or a folder of tasks: longrun evaluate tblite --model scripted/demo',
    );
  }
  const selection = { globs: settings.task, limit: settings.tasks };
  const { environment, tasks } = await loadTasks(settings.environment, selection);
  const config = {
    ...(await resolveConfig(settings, env, environment.passThreshold, groups)),
    serve,
  };
  if (limitsMoney(config)) requirePrice(config);
  await requireNetwork(
    tasks.map(({ task }) => task),
    config,
  );
  checkPassEnv(settings, config);
  requireVariables(settings.environment, tasks, config, env);
  const warnings = [...(await checkIsolation(tasks, config)), ...passedLines(tasks, config)];
  const { name, source } = environment;
  return {
    run: {
      schemaVersion: 1,
      runId: settings.runId ?? newRunId(name, now()),
      mode: serve !== null ? 'serve' : groups === null ? 'evaluate' : 'process',
      environment: { name, source },
      config,
      createdAt: now(),
      longrunVersion,
    },
    tasks,
    warnings,
  };
}

async function resolveConfig(
  settings: Settings,
  env: NodeJS.ProcessEnv,
  passThreshold: number,
  groups: GroupConfig | null,
): Promise<Omit<RunConfig, 'serve'>> {
  const usesModel = settings.agent === 'tool-calling';
  if (usesModel) await checkModel(settings, env);
  const { agent, baseUrl, apiKeyEnv, samples, maxAttempts, concurrency, network, contextPolicy } = settings;
  const { contextWindow, historyLimits, maxTurns, maxTokens, temperature, seed, timeoutMultiplier } =
    settings;
  const { budgetUsd, budgetTokens, prices, modelTimeoutMs } = settings;
  const { rolloutBudgetUsd, rolloutBudgetTokens, groupBudgetUsd, groupBudgetTokens } = settings;
  const { tokenApi, tokenizer } = settings;
  const { toolCallParser, verify, keepSnapshots, retries, weight, priority, hostLossMs } = settings;
  return {
    agent,
    model: usesModel ? settings.model : null,
    baseUrl,
    apiKeyEnv,
    samples,
    maxAttempts,
    concurrency,
    sandbox: await resolveSandbox(settings.sandbox),
    network,
    passEnv: [...new Set(settings.passEnv)].sort(),
    passThreshold: settings.passThreshold ?? passThreshold,
    contextPolicy,
    toolCallParser,
    tokenApi: usesModel ? tokenApi : 'none',
    tokenizer: tokenizer === null ? null : resolve(tokenizer),
    contextWindow,
    historyLimits,
    maxTurns,
    maxTokens,
    temperature,
    seed,
    timeoutMultiplier,
    budgetUsd,
    budgetTokens,
    prices,
    modelTimeoutMs,
    rolloutBudgetUsd,
    rolloutBudgetTokens,
    groupBudgetUsd,
    groupBudgetTokens,
    verify,
    keepSnapshots,
    retries,
    weight,
    priority,
    hostLossMs,
    ...(groups ?? groupConfigSchema.parse({})),
    trajectory: recordingOf(settings.trajectory, env),
  };
}
