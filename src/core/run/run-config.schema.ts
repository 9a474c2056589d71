import { z } from 'zod';
import { groupConfigFields } from '../group/group-config.schema.js';
import { RETRIED_REASONS } from '../rollout/retry-policy.js';
import { recordingSchema } from './recording.schema.js';
import { serveConfigSchema } from './serve-config.schema.js';

export const AGENTS = ['tool-calling', 'oracle', 'nop'] as const;
export const SANDBOXES = ['auto', 'docker', 'bubblewrap', 'memory'] as const;
export const ISOLATION_LEVELS = ['shared', 'restarted', 'separate'] as const;
/** How token ids and log-probabilities are had from an endpoint. */
export const TOKEN_APIS = ['none', 'chat', 'vllm', 'sglang', 'tinker'] as const;
export const CONTEXT_POLICIES = ['stop', 'history-view', 'summarise'] as const;

/** The settings of one run, after flags, environment and file were merged. Stored with the run. */
export const runConfigSchema = z.object({
  agent: z.enum(AGENTS).describe('Who solves the tasks'),
  model: z.string().nullable().describe('Model id as the endpoint knows it, or scripted/<name>'),
  baseUrl: z.string().nullable().describe('OpenAI-compatible endpoint, up to and including /v1'),
  apiKeyEnv: z.string().describe('Environment variable that holds the API key'),
  samples: z.number().int().min(1).max(1_000).describe('Rollouts per task'),
  maxAttempts: z
    .number()
    .int()
    .min(1)
    .max(20)
    .describe('Tries per rollout, for infrastructure failures only'),
  concurrency: z.number().int().min(1).max(5_000).describe('Rollouts in flight'),
  sandbox: z.enum(['docker', 'bubblewrap', 'memory']).describe('Sandbox driver, resolved'),
  network: z.enum(['none', 'public']).nullable().describe('Overrides what the tasks ask for'),
  passEnv: z
    .array(z.string())
    .nullable()
    .default(null)
    .describe(
      'Variables of the host that tasks may ask for; null = all that they ask for, as before there was a list',
    ),
  passThreshold: z.number().describe('Success is reward >= this'),
  contextPolicy: z
    .enum(CONTEXT_POLICIES)
    .describe('What to do when the conversation outgrows the context window'),
  contextWindow: z.number().int().positive().nullable().describe('Tokens; null = as the model table says'),
  historyLimits: z
    .record(z.string(), z.number().int().nonnegative())
    .describe('history-view: newest n messages kept per label'),
  toolCallParser: z
    .string()
    .default('auto')
    .describe('Family whose format of tool calls is read where the endpoint leaves them in the text'),
  tokenApi: z
    .enum(TOKEN_APIS)
    .default('none')
    .describe('How the ids and log-probabilities of what was sampled are had from the endpoint'),
  tokenizer: z
    .string()
    .nullable()
    .default(null)
    .describe('Folder with tokenizer and chat template of the model, where prompts are sent as ids'),
  maxTurns: z.number().int().min(1).describe('Model calls per rollout'),
  maxTokens: z.number().int().positive().nullable().describe('Completion tokens per model call'),
  temperature: z.number().min(0).max(2).nullable(),
  seed: z.number().int().nullable(),
  timeoutMultiplier: z.number().positive(),
  budgetUsd: z.number().positive().nullable().describe('Ceiling of the whole run, US dollars'),
  budgetTokens: z.number().int().positive().nullable().describe('Ceiling of the whole run, tokens'),
  rolloutBudgetUsd: z
    .number()
    .positive()
    .nullable()
    .default(null)
    .describe('Ceiling of one rollout over all its attempts, US dollars'),
  rolloutBudgetTokens: z
    .number()
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('Ceiling of one rollout over all its attempts, tokens'),
  groupBudgetUsd: z
    .number()
    .positive()
    .nullable()
    .default(null)
    .describe('Ceiling of all rollouts of one task, US dollars'),
  groupBudgetTokens: z
    .number()
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('Ceiling of all rollouts of one task, tokens'),
  prices: z
    .record(
      z.string(),
      z.object({ input: z.number(), cachedInput: z.number().nullable(), output: z.number() }),
    )
    .describe('US dollars per million tokens, by model id; overrides the built-in table'),
  modelTimeoutMs: z
    .number()
    .int()
    .positive()
    .describe('A model call without an answer for so long is a failed try'),
  verify: z
    .enum(ISOLATION_LEVELS)
    .nullable()
    .default(null)
    .describe('Isolation of the verifier; null = as the task says'),
  keepSnapshots: z.boolean().default(false).describe('Keep the final state of each sandbox, for replay'),
  retries: z
    .partialRecord(z.enum(RETRIED_REASONS), z.number().int().min(1).max(20))
    .default({})
    .describe('Attempts that may end by a failure of this kind, by stop reason'),
  weight: z.number().min(0.001).max(1_000).default(1).describe('Share of the pool beside other runs'),
  priority: z.number().int().min(1).max(5).default(3).describe('1 goes first, 5 last'),
  hostLossMs: z
    .number()
    .int()
    .min(1_000)
    .default(600_000)
    .describe('A host that takes no work for so long, twice in a row, is lost (with several hosts)'),
  ...groupConfigFields,
  serve: serveConfigSchema.nullable().default(null).describe('Where a run of mode serve delivers its groups'),
  trajectory: recordingSchema.describe('How turns are recorded as atropos-v1'),
});
export type RunConfig = z.infer<typeof runConfigSchema>;
