import { z } from 'zod';
import { ID_PATTERN } from '../core/ids.js';
import { settingUrlSchema } from '../core/model/endpoint-url.schema.js';
import { recordingFields } from '../core/run/recording.schema.js';
import {
  AGENTS,
  CONTEXT_POLICIES,
  ISOLATION_LEVELS,
  runConfigSchema,
  SANDBOXES,
  TOKEN_APIS,
} from '../core/run/run-config.schema.js';
import { FAMILIES } from '../parsers/parse-result.js';

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const run = runConfigSchema.shape;
const name = z.string().min(1);
/** The one setting that is a secret has no default, and no place in the run's record. */
const trajectory = z.strictObject({
  ...recordingFields,
  uploadEndpoint: recordingFields.uploadEndpoint.refine((url) => url === null || !/[?#]/.test(url), {
    error: 'an address without query: it is recorded; a key goes into upload_api_key',
  }),
  uploadApiKey: name
    .nullable()
    .default(null)
    .describe(
      'Key of the upload, as env:NAME or file:PATH; the key itself is accepted with a warning and written nowhere',
    ),
});
export type TrajectorySettings = z.infer<typeof trajectory>;

const price = z.strictObject({
  input: z.number().nonnegative(),
  cachedInput: z.number().nonnegative().nullable().default(null),
  output: z.number().nonnegative(),
});

/**
 * Every setting of `longrun evaluate`: the one source of its flags, its environment variables,
 * the keys of longrun.yaml, the JSON Schema for editors, completion and docs/reference/config.md.
 * What is null was left open and is filled in when the run is prepared.
 */
export const settingsSchema = z.strictObject({
  environment: name
    .nullable()
    .default(null)
    .describe('What to run: a built-in environment, a task folder or a folder of tasks'),
  model: name.nullable().default(null).describe('Model id as the endpoint knows it, or scripted/<name>'),
  agent: z.enum(AGENTS).default('tool-calling').describe('Who solves the tasks'),
  baseUrl: settingUrlSchema('a key goes into the variable that --api-key-env names')
    .nullable()
    .default(null)
    .describe('OpenAI-compatible endpoint, up to and including /v1'),
  apiKeyEnv: name
    .default('OPENAI_API_KEY')
    .describe('Name of the environment variable that holds the API key'),

  samples: run.samples.default(1).describe('Rollouts per task'),
  tasks: z.int().min(1).nullable().default(null).describe('Only the first so many tasks'),
  task: z
    .array(name)
    .default([])
    .describe('Only tasks whose id matches this glob; may be given several times'),
  passThreshold: z
    .number()
    .nullable()
    .default(null)
    .describe('Success is a reward of at least this; by default what the environment says, usually 1'),

  concurrency: run.concurrency.default(8).describe('Rollouts in flight'),
  maxAttempts: run.maxAttempts.default(3).describe('Tries per rollout, for infrastructure failures only'),
  sandbox: z
    .enum(SANDBOXES)
    .default('auto')
    .describe(
      'Where tools run; auto is docker where the engine answers, else bubblewrap; memory is an interpreted shell for tests of the machinery: the built-in tasks need docker or bubblewrap',
    ),
  network: run.network.default(null).describe('Overrides what the tasks ask for'),
  passEnv: z
    .array(z.string().regex(VARIABLE_NAME))
    .default([])
    .meta({ accepted: 'names of environment variables' })
    .describe(
      'Environment variable that tasks may ask for, where their sandboxes, tests and solutions are given it; may be given several times. By default they get none',
    ),
  timeoutMultiplier: run.timeoutMultiplier.default(1).describe("Stretches the tasks' own time limits"),

  verify: z
    .enum(ISOLATION_LEVELS)
    .nullable()
    .default(null)
    .describe(
      'Where tests run: beside what the agent left (shared), after a restart, or in a fresh sandbox with the declared artifacts only (separate); by default as the task says',
    ),
  keepSnapshots: run.keepSnapshots.describe(
    'Keep the final state of each sandbox, so that replay can start from it',
  ),
  retries: run.retries.describe(
    'Attempts that may end by a failure of this kind, by stop reason, within max_attempts; by default as suits each',
  ),
  weight: run.weight.describe('Share of the pool beside other runs of the same priority'),
  priority: run.priority.describe('1 goes before everything, 5 after everything'),
  hostLossMs: run.hostLossMs.describe(
    'Milliseconds after which a host that takes no work is given up, twice in a row; only where there are several',
  ),

  toolCallParser: z
    .enum(['auto', 'none', ...FAMILIES])
    .default('auto')
    .describe(
      'How calls are read that the endpoint leaves in the text: in the format of a model family, in the one that is found (auto), or not at all (none)',
    ),
  tokenApi: z
    .enum(TOKEN_APIS)
    .default('none')
    .describe(
      'How token ids and log-probabilities of what was sampled are had: not at all, beside chat answers (chat: return_token_ids and logprobs, as vLLM), or by sending prompts as ids to vLLM, SGLang or Tinker; docs/tokens.md',
    ),
  tokenizer: name
    .nullable()
    .default(null)
    .describe(
      'Folder with tokenizer.json, tokenizer_config.json and chat template of the model, for vllm, sglang and tinker; on every host at the same place',
    ),
  maxTurns: run.maxTurns.default(100).describe('Model calls per rollout'),
  maxTokens: run.maxTokens.default(null).describe('Completion tokens per model call'),
  temperature: run.temperature.default(null).describe("Sampling temperature; by default the endpoint's"),
  seed: run.seed.default(null).describe('Sampling seed, and what scripted models draw from'),
  contextPolicy: z
    .enum(CONTEXT_POLICIES)
    .default('stop')
    .describe('What to do when the conversation outgrows the context window'),
  contextWindow: run.contextWindow
    .default(null)
    .describe('Tokens of context; by default as the model table says'),
  historyLimits: run.historyLimits
    .default({})
    .describe('For history-view: the newest n messages kept, by label'),
  modelTimeoutMs: run.modelTimeoutMs
    .default(600_000)
    .describe('Milliseconds after which a model call without an answer is a failed try'),

  budgetUsd: run.budgetUsd.default(null).describe('Ceiling of the whole run in US dollars'),
  budgetTokens: run.budgetTokens.default(null).describe('Ceiling of the whole run in tokens'),
  rolloutBudgetUsd: run.rolloutBudgetUsd.describe('Ceiling of one rollout in US dollars'),
  rolloutBudgetTokens: run.rolloutBudgetTokens.describe('Ceiling of one rollout in tokens'),
  groupBudgetUsd: run.groupBudgetUsd.describe('Ceiling of all rollouts of one task in US dollars'),
  groupBudgetTokens: run.groupBudgetTokens.describe('Ceiling of all rollouts of one task in tokens'),
  prices: z
    .record(name, price)
    .default({})
    .describe('US dollars per million tokens, by model id; overrides the built-in table'),

  runId: z
    .string()
    .regex(ID_PATTERN)
    .nullable()
    .default(null)
    .describe('Names the run; the id of an earlier run carries that one on'),
  stateDir: name.nullable().default(null).describe('Folder of results, database and caches'),
  store: name
    .nullable()
    .default(null)
    .describe(
      'Where records are kept: s3://bucket/prefix?endpoint=…&region=…; by default in the state folder. Credentials only by the AWS_* variables or profile',
    ),
  output: name
    .nullable()
    .default(null)
    .describe("Also write the results in Harbor's job layout to this folder"),
  trajectory: trajectory
    .default(() => trajectory.parse({}))
    .describe('How the turns of each rollout are recorded; in the file a mapping of the keys below'),
  saveTrajectories: z
    .boolean()
    .default(false)
    .describe(
      'Also append each finished rollout as ShareGPT to trajectory_samples.jsonl, or failed_trajectories.jsonl, in the current folder; in the file agent: { name, save_trajectories }',
    ),
  trajectoryFile: name
    .nullable()
    .default(null)
    .describe('With save_trajectories: one file for all of them instead'),
  failUnder: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .default(null)
    .describe('Exit with 3 when pass@1 ends below this'),
  detach: z
    .boolean()
    .default(false)
    .describe('Start the run and leave it to a worker that is already running'),
  json: z
    .boolean()
    .default(false)
    .describe('One JSON document on standard output, all else on standard error'),
  metricsPort: z
    .int()
    .min(1)
    .max(65_535)
    .nullable()
    .default(null)
    .describe('Serve Prometheus metrics of the worker on this port of the loopback interface'),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('warn')
    .describe('How much to log on standard error'),
  config: name
    .nullable()
    .default(null)
    .describe('Settings file; by default longrun.yaml in the current folder, if there is one'),
});

export type Settings = z.infer<typeof settingsSchema>;
export type SettingName = keyof Settings;
