import type { Episode } from '../../core/trajectory/episode.schema.js';
import {
  LLMEvaluatedTrajectory,
  llmEvaluatedTrajectorySchema,
} from '../../core/trajectory/llm-evaluated.schema.js';
import { toWire } from '../../store/wire/wire.js';
import type { KeptScore } from './kept-score.schema.js';

/** Where they stand beside the output. */
export const EVALUATED_FILE = '.evaluated.traj.jsonl';

/** The trajectory with the judge's response, as a line of agoge's `LLMEvaluatedTrajectory`. `threshold`: the least score that is a success. */
export function evaluatedLine({ trajectory }: Episode, kept: KeptScore, threshold: number): string {
  const evaluated = LLMEvaluatedTrajectory.fromTrajectory(trajectory, {
    timesteps: trajectory.timesteps.map((step) => ({ ...step, judgeResponse: null })),
    judgeResponse: {
      success: kept.score >= threshold ? 1 : 0,
      rationale: kept.rationale ?? '',
      score: kept.score,
      judge_model: kept.by,
      ...(Object.keys(kept.components).length === 0 ? {} : { criteria: kept.components }),
    },
  });
  return JSON.stringify(toWire(llmEvaluatedTrajectorySchema, evaluated, 'the evaluated trajectory'));
}
