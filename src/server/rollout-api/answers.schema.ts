import { z } from 'zod';
import { STOP_REASONS } from '../../core/rollout/outcome.js';
import { trajectorySchema } from '../../core/trajectory/trajectory.schema.js';
import { failureSchema, usageSchema } from '../../store/records/records.schema.js';

/** Times are epoch milliseconds, money US dollars. */
export const environmentsSchema = z.object({
  environments: z.array(
    z.object({
      name: z.string(),
      own: z.boolean().describe('The one that this run serves: the default of requests'),
      passThreshold: z.number().describe('A reward of at least this counts as success'),
      tools: z.array(z.string()),
      tasks: z.array(z.string()).describe('Task ids, in the order in which items are handed out'),
    }),
  ),
});

const promptMessageSchema = z.object({ role: z.enum(['system', 'user']), content: z.string() });
export const toolDefinitionSchema = z.object({
  type: z.literal('function'),
  function: z.object({
    name: z.string(),
    description: z.string(),
    parameters: z.record(z.string(), z.unknown()).describe('JSON Schema of the arguments'),
  }),
});

export const itemSchema = z.object({
  position: z.number().int().describe('In the endless sequence of items of the environment, from 0'),
  epoch: z.number().int().describe('How often all items came before it'),
  environment: z.string(),
  item: z.string().describe('Task id'),
  prompt: z.string().describe('The item as the environment puts it to the agent'),
  messages: z.array(promptMessageSchema).describe('What the model is sent first'),
  tools: z.array(toolDefinitionSchema),
  metadata: z.object({
    category: z.string().nullable(),
    difficulty: z.string().nullable(),
    tags: z.array(z.string()),
    digest: z.string().describe('Of the task as it was loaded'),
    steps: z.number().int(),
    agentTimeoutMs: z.number().nullable().describe('Of the first step'),
    network: z.enum(['none', 'public']),
    workdir: z.string().nullable(),
    cpus: z.number().nullable(),
    memoryMb: z.number().nullable(),
    storageMb: z.number().nullable(),
  }),
});
export type Item = z.output<typeof itemSchema>;

export const itemsSchema = z.object({
  environment: z.string(),
  items: z.array(itemSchema),
  nextCursor: z.number().int().describe('Where the items after these begin'),
});

/** Of `POST /v1/policy`. */
export const policyAnswerSchema = z.object({
  version: z.string().nullable(),
  model: z.string().nullable(),
  baseUrl: z.string().nullable(),
});

const advantageSchema = z.union([z.number(), z.array(z.number())]);

export const turnSchema = z.object({
  model: z.string().nullable(),
  finishReason: z.string().nullable(),
  policyVersion: z.string().nullable(),
  promptTokenIds: z
    .array(z.number())
    .nullable()
    .describe('The whole prompt of the call; null where no ids were told'),
  completionTokenIds: z.array(z.number()).nullable().describe('As sampled'),
  logprobs: z.array(z.number()).nullable().describe('Of each of those'),
  usage: usageSchema.nullable(),
  latencyMs: z.number().nullable(),
});

export const memberSchema = z.object({
  rolloutId: z.string(),
  sample: z.number().int(),
  trajectory: trajectorySchema,
  reward: z.number().nullable().describe('Null: it has no score, and that is no zero'),
  done: z
    .boolean()
    .describe(
      'It came to an end of its own or by its limits, and not by a failure of ours or a cancellation',
    ),
  stopReason: z.enum(STOP_REASONS),
  advantage: z.number().nullable().describe('Where all its steps have the same one'),
  advantages: z
    .array(advantageSchema)
    .nullable()
    .describe('By turn; null without a score, or without a valid group'),
  policyVersion: z.string().nullable().describe('Of its first answer'),
  turns: z.array(turnSchema).describe('What is known of each timestep besides its messages'),
  metadata: z.object({
    environment: z.string(),
    item: z.string(),
    category: z.string().nullable(),
    difficulty: z.string().nullable(),
    tags: z.array(z.string()),
    status: z.enum(['success', 'retryable_failure', 'terminal_failure', 'needs_human_review']),
    passed: z.boolean().nullable(),
    rewards: z.record(z.string(), z.number()).describe('By key of the verifier'),
    failure: failureSchema.nullable(),
    attempts: z.number().int(),
    usage: usageSchema,
    costUsd: z.number().nullable(),
    isolation: z.string().nullable().describe('At which the tests ran'),
    suspectedTampering: z.array(z.string()),
    startedAt: z.number(),
    finishedAt: z.number(),
  }),
});
export type Member = z.output<typeof memberSchema>;

export const groupAnswerSchema = z.object({
  groupId: z.string(),
  estimator: z.string(),
  valid: z.boolean().describe('Whether enough members have a score for it to be trained on'),
  reason: z.string().nullable().describe('Why it is not valid'),
  mean: z.number().nullable(),
  std: z.number().nullable(),
  zeroVariance: z.boolean(),
  policyVersions: z.array(z.string()),
});

export const ROLLOUT_STATUSES = ['running', 'done', 'cancelled', 'failed'] as const;

export const rolloutAnswerSchema = z.object({
  id: z.string(),
  runId: z.string().describe('As the command line names it: longrun runs show <run_id>'),
  status: z.enum(ROLLOUT_STATUSES),
  note: z.string().nullable().describe('Why it is paused, or what to do about a failure'),
  environment: z.string(),
  item: z.string(),
  groupSize: z.number().int(),
  policy: policyAnswerSchema,
  ended: z.number().int().describe('Members that have ended'),
  createdAt: z.number(),
  group: groupAnswerSchema.nullable().describe('Null until it is closed'),
  members: z.array(memberSchema).describe('Empty while it runs; of a cancelled group those that had ended'),
});
export type RolloutAnswer = z.output<typeof rolloutAnswerSchema>;

export const errorAnswerSchema = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    path: z
      .string()
      .nullable()
      .optional()
      .describe('What is at fault: a field of the request, in its own words'),
    accepted: z.string().nullable().optional().describe('What would be accepted there'),
  }),
});
