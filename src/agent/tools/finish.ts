import { z } from 'zod';
import { answer, defineTool } from './define-tool.js';

export const FINISH_TOOL = 'finish';

/** Ends the rollout: `judge` looks for its recorded result. */
export const finish = defineTool({
  name: FINISH_TOOL,
  description: 'Call this when the task is done and checked. Nothing can be done afterwards.',
  parameters: z.object({ summary: z.string().optional().describe('What was done, in a sentence or two') }),
  plan: () => answer('Finished.'),
});
