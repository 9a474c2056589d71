import { z } from 'zod';
import { checkShape } from './check-shape.js';
import { EvaluatedTrajectory, type Evaluation } from './evaluated-trajectory.js';
import {
  hasStepsOrError,
  STEPS_OR_ERROR,
  type Trajectory,
  timeStepFields,
  trajectoryFields,
} from './trajectory.schema.js';

/** What a judge said, under names of its own. A yes or no is 1.0 or 0.0, a list sits inside an object. */
export const judgeResponseSchema = z
  .record(z.string(), z.union([z.number(), z.string(), z.record(z.string(), z.unknown())]))
  .nullable()
  .default(null);
export type JudgeResponse = z.output<typeof judgeResponseSchema>;

export const llmEvaluatedTimeStepSchema = z
  .object({ ...timeStepFields, judgeResponse: judgeResponseSchema })
  .readonly();
export type LLMEvaluatedTimeStep = z.output<typeof llmEvaluatedTimeStepSchema>;

export const llmEvaluatedTrajectorySchema = z
  .object({
    ...trajectoryFields,
    timesteps: z.array(llmEvaluatedTimeStepSchema),
    judgeResponse: judgeResponseSchema,
  })
  .refine(hasStepsOrError, STEPS_OR_ERROR)
  .readonly();

/** A trajectory, and each of its steps, as a judge saw it. Errors: `record_invalid` for another shape. */
export class LLMEvaluatedTrajectory extends EvaluatedTrajectory<LLMEvaluatedTimeStep> {
  readonly judgeResponse: JudgeResponse;

  constructor(fields: z.input<typeof llmEvaluatedTrajectorySchema>) {
    const checked = checkShape(llmEvaluatedTrajectorySchema, fields, 'an LLMEvaluatedTrajectory');
    super(checked);
    this.judgeResponse = checked.judgeResponse;
    Object.freeze(this);
  }

  get evaluation(): Evaluation {
    return this.judgeResponse ?? {};
  }

  /** The episode of `trajectory` (its id, error and start parameters) with evaluated steps. */
  static fromTrajectory(
    trajectory: Trajectory,
    evaluated: {
      timesteps: z.input<typeof llmEvaluatedTimeStepSchema>[];
      judgeResponse?: z.input<typeof judgeResponseSchema>;
    },
  ): LLMEvaluatedTrajectory {
    const { resetKwargs, errorInfo, episodeId, schemaVersion } = trajectory;
    const { timesteps, judgeResponse = null } = evaluated;
    return new LLMEvaluatedTrajectory({
      timesteps,
      resetKwargs,
      errorInfo,
      episodeId,
      schemaVersion,
      judgeResponse,
    });
  }
}
