import { describe, expect, it } from 'vitest';
import {
  AREEvaluatedTrajectory,
  areEvaluatedTrajectorySchema,
  areRewardShaper,
} from '../../../src/core/trajectory/are-evaluated.schema.js';
import { EvaluatedTrajectory } from '../../../src/core/trajectory/evaluated-trajectory.js';
import {
  LLMEvaluatedTrajectory,
  llmEvaluatedTrajectorySchema,
} from '../../../src/core/trajectory/llm-evaluated.schema.js';
import { trajectorySchema } from '../../../src/core/trajectory/trajectory.schema.js';
import { fromWire, toWire } from '../../../src/store/wire/wire.js';
import { assistant, user } from './fixtures.js';

const step = (reward: number | null = null) => ({ chats: [{ messages: [user(), assistant()] }], reward });
const TRAJECTORY = trajectorySchema.parse({
  timesteps: [step(0.25), step(), step()],
  resetKwargs: { seed: 7 },
  errorInfo: { errorType: 'llm_error', message: 'm', traceback: 't' },
  episodeId: 'r/t/0/1',
});
const EVALUATION = {
  success: true,
  rationale: 'All events of the oracle matched.',
  judgeModel: 'some/judge',
  oracleMatchingFailures: [{ event: 3, reason: 'late' }],
  duration: 45.2,
};
const are = (change: object = {}) =>
  new AREEvaluatedTrajectory({ ...TRAJECTORY, areEvaluation: { ...EVALUATION, ...change } });

describe('the evaluation of a trajectory', () => {
  it('is one view, whoever evaluated it: whether it succeeded, and why', () => {
    const judged = LLMEvaluatedTrajectory.fromTrajectory(TRAJECTORY, {
      timesteps: [...TRAJECTORY.timesteps],
      judgeResponse: { success: 0, rationale: 'It gave up.', score: 0.2 },
    });
    const all: EvaluatedTrajectory[] = [are(), areRewardShaper(are()), judged];
    expect(all.every((one) => one instanceof EvaluatedTrajectory)).toBe(true);
    expect(all.map(({ evaluation: { success, rationale } }) => [success, rationale])).toEqual([
      [true, EVALUATION.rationale],
      [1, EVALUATION.rationale],
      [0, 'It gave up.'],
    ]);
    expect(judged.evaluation).toEqual({ success: 0, rationale: 'It gave up.', score: 0.2 });
  });

  it('of a judge that said nothing is empty', () => {
    const silent = LLMEvaluatedTrajectory.fromTrajectory(TRAJECTORY, {
      timesteps: [...TRAJECTORY.timesteps],
    });
    expect(silent.judgeResponse).toBeNull();
    expect(silent.evaluation).toEqual({});
    expect(silent.timesteps.map(({ judgeResponse }) => judgeResponse)).toEqual([null, null, null]);
  });

  it('made from a trajectory keeps the episode', () => {
    const judged = LLMEvaluatedTrajectory.fromTrajectory(TRAJECTORY, {
      timesteps: TRAJECTORY.timesteps.map((one) => ({ ...one, judgeResponse: { quality: 'good' } })),
      judgeResponse: { success: 1 },
    });
    const { resetKwargs, errorInfo, episodeId, schemaVersion } = TRAJECTORY;
    expect(judged).toMatchObject({ resetKwargs, errorInfo, episodeId, schemaVersion });
    expect(judged.timesteps[1]).toMatchObject({ judgeResponse: { quality: 'good' } });
    expect(() => Object.assign(judged, { judgeResponse: null })).toThrow(TypeError);
    expect(() => judged.timesteps.pop()).toThrow(TypeError);
  });

  it.each([
    [{ success: true }, 'judge_response.success'],
    [{ failures: [1] }, 'judge_response.failures'],
  ])('by a judge holds numbers, texts and objects: %j is refused', (judgeResponse, field) => {
    const make = () => new LLMEvaluatedTrajectory({ ...TRAJECTORY, judgeResponse: judgeResponse as never });
    expect(make).toThrow(`an LLMEvaluatedTrajectory is not valid: ${field}`);
  });

  it.each([
    ['success', undefined],
    ['success', 1],
    ['rationale', null],
    ['judgeModel', undefined],
    ['oracleMatchingFailures', 'none'],
    ['duration', '45 s'],
    ['verdict', 'ok'],
  ])('by ARE has its shape: %s %s is refused', (field, value) => {
    expect(() => are({ [field]: value })).toThrow(/^an AREEvaluatedTrajectory is not valid: are_evaluation/);
  });

  it('is stored with the trajectory and read back', () => {
    const wire = toWire(areEvaluatedTrajectorySchema, are());
    expect(wire).toMatchObject({
      are_evaluation: { judge_model: 'some/judge', oracle_matching_failures: [{ event: 3, reason: 'late' }] },
    });
    expect(new AREEvaluatedTrajectory(fromWire(areEvaluatedTrajectorySchema, wire))).toEqual(are());
    const judged = areRewardShaper(are());
    const judgedWire = toWire(llmEvaluatedTrajectorySchema, judged);
    expect(new LLMEvaluatedTrajectory(fromWire(llmEvaluatedTrajectorySchema, judgedWire))).toEqual(judged);
  });
});

describe('the rewards that ARE’s evaluation makes', () => {
  it.each([
    [true, 1],
    [false, 0],
  ])(
    'for success %s are %d at the last step, which is done; other steps stay as they are',
    (success, reward) => {
      const shaped = areRewardShaper(are({ success }));
      expect(shaped).toBeInstanceOf(LLMEvaluatedTrajectory);
      expect(shaped.timesteps.map((one) => [one.reward, one.done])).toEqual([
        [0.25, false],
        [null, false],
        [reward, true],
      ]);
      expect(shaped.judgeResponse).toEqual({
        success: reward,
        rationale: EVALUATION.rationale,
        judge_model: 'some/judge',
        oracle_matching_failures: { failures: [{ event: 3, reason: 'late' }] },
        duration: 45.2,
      });
      expect(shaped.episodeId).toBe('r/t/0/1');
    },
  );

  it('leave a trajectory without steps without any', () => {
    const failed = new AREEvaluatedTrajectory({ ...TRAJECTORY, timesteps: [], areEvaluation: EVALUATION });
    expect(areRewardShaper(failed)).toMatchObject({ timesteps: [], judgeResponse: { success: 1 } });
  });

  it('are refused where the evaluation does not say whether it succeeded', () => {
    const { success: _, ...areEvaluation } = EVALUATION;
    const broken = { ...TRAJECTORY, areEvaluation } as never;
    expect(() => areRewardShaper(broken)).toThrow('are_evaluation.success');
  });
});
