import { z } from 'zod';
import { checkShape } from './check-shape.js';
import { EvaluatedTrajectory, type Evaluation } from './evaluated-trajectory.js';
import { LLMEvaluatedTrajectory } from './llm-evaluated.schema.js';
import { hasStepsOrError, STEPS_OR_ERROR, trajectoryFields } from './trajectory.schema.js';

/** What the oracle matching of ARE (Agents Research Environments) found. */
export const areEvaluationSchema = z
  .strictObject({
    /** Whether every event of the oracle was matched. */
    success: z.boolean(),
    rationale: z.string(),
    judgeModel: z.string(),
    oracleMatchingFailures: z.array(z.record(z.string(), z.unknown())),
    /** Seconds. */
    duration: z.number(),
  })
  .readonly();
export type AREEvaluation = z.output<typeof areEvaluationSchema>;

export const areEvaluatedTrajectorySchema = z
  .object({ ...trajectoryFields, areEvaluation: areEvaluationSchema })
  .refine(hasStepsOrError, STEPS_OR_ERROR)
  .readonly();

/** A trajectory with ARE's evaluation; `areRewardShaper` makes rewards of it. Errors: `record_invalid` for another shape. */
export class AREEvaluatedTrajectory extends EvaluatedTrajectory {
  readonly areEvaluation: AREEvaluation;

  constructor(fields: z.input<typeof areEvaluatedTrajectorySchema>) {
    const checked = checkShape(areEvaluatedTrajectorySchema, fields, 'an AREEvaluatedTrajectory');
    super(checked);
    this.areEvaluation = checked.areEvaluation;
    Object.freeze(this);
  }

  get evaluation(): Evaluation {
    const { success, rationale, judgeModel, oracleMatchingFailures, duration } = this.areEvaluation;
    return {
      success,
      rationale,
      judge_model: judgeModel,
      oracle_matching_failures: oracleMatchingFailures,
      duration,
    };
  }
}

/**
 * ARE's verdict as the reward of the last step: 1.0 or 0.0, done; other steps stay as they are. The evaluation
 * becomes the judge's response. Errors: `record_invalid`, also for an evaluation without `success`.
 */
export function areRewardShaper(trajectory: AREEvaluatedTrajectory): LLMEvaluatedTrajectory {
  const { timesteps, areEvaluation, ...fields } = new AREEvaluatedTrajectory(trajectory);
  const reward = areEvaluation.success ? 1 : 0;
  const shaped = timesteps.map((step, i) =>
    i === timesteps.length - 1 ? { ...step, reward, done: true } : step,
  );
  return LLMEvaluatedTrajectory.fromTrajectory(
    { timesteps, ...fields },
    {
      timesteps: shaped,
      judgeResponse: {
        success: reward,
        rationale: areEvaluation.rationale,
        judge_model: areEvaluation.judgeModel,
        oracle_matching_failures: { failures: areEvaluation.oracleMatchingFailures },
        duration: areEvaluation.duration,
      },
    },
  );
}
