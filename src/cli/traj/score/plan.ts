import { readFile } from 'node:fs/promises';
import type { Settings } from '../../../config/settings.schema.js';
import { badInput } from '../../../core/errors.js';
import { needsRewardModel } from '../../../core/reward/part-values.js';
import { parseRewardOrder } from '../../../core/reward/reward-order.js';
import type { RewardShape } from '../../../core/reward/shaped-signal.js';
import { SECOND_MS } from '../../../core/time.js';
import type { RewardSource } from '../../../core/trajectory/reward-signal.schema.js';
import { NO_KEY } from '../../../model/endpoint.js';
import { chooseScorer } from '../../../trajectories/score/choose-scorer.js';
import { BUILT_IN_RUBRIC, parseRubric } from '../../../trajectories/score/rubric.js';
import type { Scorer } from '../../../trajectories/score/scorer.js';
import { checkCriteria, parseWeights } from '../../../trajectories/score/weights-file.js';
import type { CliIo } from '../../cli-io.js';
import { wholeNumber } from '../../whole-number.js';
import type { InputOptions, OutputFlags } from '../traj-options.js';

export interface ScoreFlags extends InputOptions, OutputFlags {
  rewardModel?: string;
  rubric?: string;
  baseUrl?: string;
  apiKeyEnv?: string;
  shape?: string;
  threshold?: string;
  weights?: string;
  implicit?: boolean;
  evaluated?: boolean;
  concurrency?: string;
  batch?: string;
  timeout?: string;
  rewardOrder?: string;
}

export interface ScorePlan {
  scorer: Scorer | null;
  shape: RewardShape;
  implicit: boolean;
  order: readonly RewardSource[];
  /** The least score that is a success in the evaluated trajectories; null = none are wanted. */
  evaluated: number | null;
}

const CONCURRENCY = 8;
const THRESHOLD = 0.5;

/** Where models are served and which one judges, unless flags say otherwise: of the settings. */
export type ScoreDefaults = Pick<Settings, 'baseUrl' | 'apiKeyEnv' | 'prices' | 'trajectory'>;

/** What `traj score` was asked for, checked before anything is read or paid. Throws `bad_input`, `model_key_missing`. */
export async function scorePlan(flags: ScoreFlags, defaults: ScoreDefaults, io: CliIo): Promise<ScorePlan> {
  const kind = shapeKind(flags);
  const order = parseRewardOrder(flags.rewardOrder);
  const shape = await shapeOf(kind, flags);
  const implicit = flags.implicit === true;
  const rewardModel = whoJudges(flags, shape, defaults.trajectory.rewardModel);
  const scorer = rewardModel === null ? null : await scorerOf(rewardModel, flags, defaults, io);
  if (scorer === null && shape.kind !== 'composite' && !implicit)
    throw badInput(
      'there is nothing to score with.',
      'Name a --reward-model, or use --implicit, or --shape composite with --weights.',
    );
  if (shape.kind === 'composite' && scorer !== null && scorer.criteria !== null)
    checkCriteria(shape.weights, flags.weights as string, scorer.criteria);
  if (flags.evaluated && scorer === null)
    throw badInput(
      '--evaluated needs a reward model: it writes what that said.',
      'Name one with --reward-model.',
    );
  const success = shape.kind === 'binary' ? shape.threshold : THRESHOLD;
  return { scorer, shape, implicit, order, evaluated: flags.evaluated === true ? success : null };
}

/** The one of the settings is asked, and paid, only where a reward model is what is wanted. */
function whoJudges(flags: ScoreFlags, shape: RewardShape, usual: string | null): string | null {
  const { rewardModel, implicit } = flags;
  if (rewardModel === 'none') return null;
  if (rewardModel !== undefined) return rewardModel;
  if (shape.kind === 'composite') return Object.keys(shape.weights).some(needsRewardModel) ? usual : null;
  return implicit === true ? null : usual;
}

async function scorerOf(
  rewardModel: string,
  flags: ScoreFlags,
  defaults: ScoreDefaults,
  io: CliIo,
): Promise<Scorer> {
  const { rubric, concurrency, batch, timeout } = flags;
  return chooseScorer({
    rewardModel,
    baseUrl: flags.baseUrl ?? defaults.baseUrl,
    judgeKeyEnv: flags.apiKeyEnv ?? defaults.apiKeyEnv,
    classifierKeyEnv: flags.apiKeyEnv ?? NO_KEY,
    prices: defaults.prices,
    rubric: rubric === undefined ? BUILT_IN_RUBRIC : parseRubric(await text('--rubric', rubric), rubric),
    concurrency: concurrency === undefined ? CONCURRENCY : wholeNumber('--concurrency', concurrency),
    batch: batch === undefined ? 1 : wholeNumber('--batch', batch),
    timeoutMs: timeout === undefined ? null : wholeNumber('--timeout', timeout) * SECOND_MS,
    env: io.env,
    now: io.now,
  });
}

function shapeKind({ shape = 'continuous', threshold, weights }: ScoreFlags): RewardShape['kind'] {
  const kind = (['binary', 'continuous', 'composite'] as const).find((known) => known === shape);
  if (kind === undefined)
    throw badInput(`--shape: found "${shape}", accepted: binary, continuous, composite.`);
  if (threshold !== undefined && kind !== 'binary')
    throw badInput('--threshold belongs to --shape binary.', 'Scores of other shapes are kept as numbers.');
  if ((weights !== undefined) !== (kind === 'composite'))
    throw badInput(
      weights === undefined
        ? '--shape composite needs --weights.'
        : '--weights belongs to --shape composite.',
      'The file has lines like "environment: 3"; docs/rewards.md names the parts.',
    );
  return kind;
}

async function shapeOf(kind: RewardShape['kind'], flags: ScoreFlags): Promise<RewardShape> {
  if (kind === 'continuous') return { kind };
  if (kind === 'binary') return { kind, threshold: threshold(flags.threshold) };
  const file = flags.weights as string;
  return { kind, weights: parseWeights(await text('--weights', file), file) };
}

function threshold(given: string | undefined): number {
  if (given === undefined) return THRESHOLD;
  if (given.trim() !== '' && Number.isFinite(Number(given))) return Number(given);
  throw badInput(`--threshold: found "${given}", accepted: a number.`);
}

async function text(flag: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw badInput(`${flag}: ${file} cannot be read: ${(error as Error).message}`);
  }
}

/** Parts that only a reward model of an earlier call can have given. */
export const borrowedParts = ({ shape, scorer }: ScorePlan): string[] =>
  shape.kind === 'composite' && scorer === null ? Object.keys(shape.weights).filter(needsRewardModel) : [];
