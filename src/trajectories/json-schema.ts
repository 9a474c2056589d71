import type { z } from 'zod';
import { agogeTaskSchema } from '../core/trajectory/agoge-task.schema.js';
import { areEvaluatedTrajectorySchema } from '../core/trajectory/are-evaluated.schema.js';
import { llmEvaluatedTrajectorySchema } from '../core/trajectory/llm-evaluated.schema.js';
import { trajectorySchema } from '../core/trajectory/trajectory.schema.js';
import { wireJsonSchema } from '../store/wire/wire-json-schema.js';

const KINDS = {
  trajectory: { title: 'Trajectory', schema: trajectorySchema },
  'llm-evaluated': { title: 'LLMEvaluatedTrajectory', schema: llmEvaluatedTrajectorySchema },
  'are-evaluated': { title: 'AREEvaluatedTrajectory', schema: areEvaluatedTrajectorySchema },
  task: { title: 'Task', schema: agogeTaskSchema },
} as const satisfies Record<string, { title: string; schema: z.ZodType }>;

export type TrajectorySchemaKind = keyof typeof KINDS;

/** JSON Schema of agoge's records as longrun writes them, for `longrun schema trajectory`. */
export function trajectoryJsonSchema(kind: TrajectorySchemaKind): Record<string, unknown> {
  const { title, schema } = KINDS[kind];
  const { $schema, ...rest } = wireJsonSchema(schema);
  return { $schema, title, ...rest, ...(kind === 'task' ? {} : { anyOf: STEPS_OR_ERROR }) };
}

/** A check across fields, which no schema of one field can say. */
const STEPS_OR_ERROR = [
  { properties: { timesteps: { type: 'array', minItems: 1 } } },
  { properties: { error_info: { type: 'object' } }, required: ['error_info'] },
];
