import { z } from 'zod';

/**
 * agoge's record of an episode, camel case in memory and snake case on disk. Each TimeStep holds what
 * is new in it: the first the prompt, the answer and the tool results, later ones only their own answer
 * and results, and `availableToolSchemas` only where they change (null = as before). The conversation of
 * a turn is the messages of all chats up to it, so that a trajectory grows with the conversation and
 * not with its square.
 */
const labelled = { label: z.string().nullable() };
const contentSchema = z.union([z.string(), z.array(z.record(z.string(), z.unknown()))]);

export const trajectoryMessageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: contentSchema, ...labelled }),
  z.object({ role: z.literal('user'), content: contentSchema, ...labelled }),
  z.object({
    role: z.literal('assistant'),
    content: contentSchema,
    reasoning: z.string().nullable(),
    toolCalls: z.array(
      z.object({
        id: z.string(),
        type: z.literal('function'),
        /** `arguments` is the text that the model wrote. */
        function: z.object({ name: z.string(), arguments: z.string() }),
      }),
    ),
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
export type TrajectoryMessage = z.infer<typeof trajectoryMessageSchema>;

export const chatSchema = z.object({
  messages: z.array(trajectoryMessageSchema),
  logprobs: z.array(z.number()).nullable(),
  topTokens: z.array(z.array(z.string())).nullable(),
  tokenTopLogprobs: z.array(z.array(z.number())).nullable(),
});

export const timeStepSchema = z.object({
  chats: z.array(chatSchema).min(1),
  reward: z.number().nullable(),
  mcReturn: z.number().nullable(),
  done: z.boolean(),
  availableToolSchemas: z.array(z.record(z.string(), z.unknown())).nullable(),
  advantage: z.number().nullable(),
});
export type TimeStep = z.infer<typeof timeStepSchema>;

export const trajectorySchema = z
  .object({
    timesteps: z.array(timeStepSchema),
    resetKwargs: z.record(z.string(), z.unknown()),
    errorInfo: z.object({ errorType: z.string(), message: z.string(), traceback: z.string() }).nullable(),
    episodeId: z.string().nullable(),
    schemaVersion: z.literal(1),
  })
  .refine((trajectory) => trajectory.timesteps.length > 0 || trajectory.errorInfo !== null, {
    path: ['timesteps'],
    message: 'at least one timestep, unless error_info says why there is none',
  });
export type Trajectory = z.infer<typeof trajectorySchema>;
