import { z } from 'zod';

const dictionary = z.record(z.string(), z.unknown()).default({});

/** agoge's Task as any environment may write it; longrun's own tasks (`core/rollout/task.schema.ts`) are one kind of it. */
export const agogeTaskSchema = z
  .object({
    taskId: z.string(),
    /** The prompt: instruction, images. */
    inputs: dictionary,
    /** Criteria and expected outcomes. */
    evalCriteria: dictionary,
    /** Sandbox, limits, category, difficulty, source. */
    metadata: dictionary,
  })
  .readonly();
export type AgogeTask = z.output<typeof agogeTaskSchema>;
