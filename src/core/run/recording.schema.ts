import { z } from 'zod';

/** How the recorder writes sessions, and what becomes of them: `trajectory:` of the settings file without its secret. */
const fields = {
  enabled: z.boolean().default(true).describe('Write the turns of each rollout as atropos-v1'),
  outputDir: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('Folder of traj_<session_id>.jsonl; by default trajectories/ in the state folder'),
  recordReasoning: z.boolean().default(true).describe('Chain of thought, where the model gives it'),
  recordToolCalls: z
    .boolean()
    .default(true)
    .describe('Arguments and results of tool calls; names, durations and success are always recorded'),
  recordSystemPrompt: z.boolean().default(false).describe('The system prompt itself beside its hash'),
  minTurnCount: z
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(2)
    .describe('Rollouts of fewer turns are not written, but counted'),
  requireToolCalls: z
    .boolean()
    .default(false)
    .describe('Rollouts without any tool call are not written, but counted'),
  rewardModel: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('What traj score judges with unless told otherwise: path, name or address of a reward model'),
  autoUpload: z.boolean().default(false).describe('Upload the rollouts of a run when it has ended'),
  uploadEndpoint: z
    .url({ protocol: /^https?$/ })
    .refine((url) => !/^\w+:\/\/[^/?#]*@/.test(url), 'an address without user name and password')
    .nullable()
    .default(null)
    .describe('Where to upload to'),
};

export const recordingFields = fields;

const recording = z.object(fields);
export const recordingSchema = recording.default(() => recording.parse({}));
export type Recording = z.output<typeof recording>;
