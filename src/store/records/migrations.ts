import type { z } from 'zod';
import { areEvaluatedTrajectorySchema } from '../../core/trajectory/are-evaluated.schema.js';
import { llmEvaluatedTrajectorySchema } from '../../core/trajectory/llm-evaluated.schema.js';
import { migrateTrajectory } from '../../core/trajectory/migrate.js';
import { trajectorySchema } from '../../core/trajectory/trajectory.schema.js';

const MIGRATIONS = new Map<z.ZodType, (wire: unknown) => unknown>([
  [trajectorySchema, migrateTrajectory],
  [llmEvaluatedTrajectorySchema, migrateTrajectory],
  [areEvaluatedTrajectorySchema, migrateTrajectory],
]);

/** A value as it was stored by an older version, in the shape that the schema declares. */
export function migrateWire(schema: z.ZodType, wire: unknown): unknown {
  return MIGRATIONS.get(schema)?.(wire) ?? wire;
}
