import { z } from 'zod';
import { contentSchema } from './content.schema.js';

/**
 * agoge's record of an episode, camel case in memory and snake case on disk. Each TimeStep holds what
 * is new in it: the first the prompt, the answer and the tool results, later ones only their own answer
 * and results, and `availableToolSchemas` only where they change (null = as before). The conversation of
 * a turn is the messages of all chats up to it, so that a trajectory grows with the conversation and
 * not with its square. What agoge defaults may be absent on disk; in memory every field is there.
 */
const labelled = { label: z.string().nullable().default(null) };

export const trajectoryMessageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: contentSchema, ...labelled }),
  z.object({ role: z.literal('user'), content: contentSchema, ...labelled }),
  z.object({
    role: z.literal('assistant'),
    content: contentSchema,
    reasoning: z.string().nullable().default(null),
    toolCalls: z
      .array(
        z.object({
          id: z.string(),
          type: z.literal('function').default('function'),
          /** `arguments` is the text that the model wrote. */
          function: z.object({ name: z.string(), arguments: z.string() }),
        }),
      )
      .default([]),
    ...labelled,
  }),
  z.object({
    role: z.literal('tool'),
    content: contentSchema,
    toolCallId: z.string(),
    name: z.string(),
    ...labelled,
  }),
]);
export type TrajectoryMessage = z.output<typeof trajectoryMessageSchema>;

/** The data of a `Chat`. */
export const chatSchema = z
  .object({
    messages: z.array(trajectoryMessageSchema),
    /** One entry per id of the templated chat. */
    logprobs: z.array(z.number()).nullable().default(null),
    topTokens: z.array(z.array(z.string())).nullable().default(null),
    tokenTopLogprobs: z.array(z.array(z.number())).nullable().default(null),
  })
  .readonly();
export type ChatData = z.output<typeof chatSchema>;

export const timeStepFields = {
  chats: z.array(chatSchema).min(1),
  reward: z.number().nullable().default(null),
  mcReturn: z.number().nullable().default(null),
  done: z.boolean().default(false),
  availableToolSchemas: z.array(z.record(z.string(), z.unknown())).nullable().default(null),
  advantage: z.number().nullable().default(null),
};
export const timeStepSchema = z.object(timeStepFields).readonly();
export type TimeStep = z.output<typeof timeStepSchema>;

export const errorInfoSchema = z.object({
  errorType: z.string(),
  message: z.string(),
  traceback: z.string(),
});
export type ErrorInfo = z.output<typeof errorInfoSchema>;

/** The fields of every kind of trajectory; the evaluated ones add theirs. */
export const trajectoryFields = {
  timesteps: z.array(timeStepSchema),
  resetKwargs: z.record(z.string(), z.unknown()).default({}),
  errorInfo: errorInfoSchema.nullable().default(null),
  episodeId: z.string().nullable().default(null),
  schemaVersion: z.literal(1).default(1),
};

/** The check of every kind: a rollout that died before its first turn has no timestep, and says why. */
export const hasStepsOrError = ({ timesteps, errorInfo }: { timesteps: unknown[]; errorInfo: unknown }) =>
  timesteps.length > 0 || errorInfo !== null;
export const STEPS_OR_ERROR = {
  path: ['timesteps'],
  message: 'at least one timestep, unless error_info says why there is none',
};

export const trajectorySchema = z.object(trajectoryFields).refine(hasStepsOrError, STEPS_OR_ERROR).readonly();

/** In memory a trajectory may name the last response of its agent, for tracing; no record of ours has the field. */
export interface TraceLink {
  readonly traceLastResponseFlowId?: string | null;
}
export type Trajectory = z.output<typeof trajectorySchema> & TraceLink;
