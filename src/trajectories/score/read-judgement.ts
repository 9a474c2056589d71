import { readJson } from '../../parsers/json/read-json.js';
import { createSource } from '../../parsers/source.js';
import type { Rubric } from './rubric.js';

/** What a judge said, on a scale from 0 to 1. */
export interface JudgeAnswer {
  score: number;
  components: Record<string, number>;
  rationale: string | null;
}

/** Objects that are tried: more means that the judge wrote something else. */
const MAX_OBJECTS = 50;
const MAX_RATIONALE = 4_000;

/**
 * The judgement in a judge's answer: the last JSON object with scores, broken or not, with text and
 * code fences around it. Else a lone number, or one that `score:` announces. A string is why there is none.
 */
export function readJudgement(text: string, rubric: Rubric): JudgeAnswer | string {
  const found = objectsIn(text).map((object) => fromObject(object, rubric));
  const last = found.findLast((answer) => typeof answer !== 'string') ?? found.at(-1);
  if (last !== undefined) return last;
  const lone = /^\s*(-?\d+(?:\.\d+)?)\s*$/.exec(text) ?? [...text.matchAll(ANNOUNCED)].at(-1);
  if (!lone) return 'the answer holds no score';
  const score = normalise(Number(lone[1]), rubric);
  if (score === null) return outside(Number(lone[1]), rubric);
  return {
    score,
    components: {},
    rationale: lone[0].trim() === text.trim() ? null : text.slice(0, MAX_RATIONALE),
  };
}

const ANNOUNCED = /\bscore["'*]*\s*[:=]\s*["'*]*(-?\d+(?:\.\d+)?)(?!\d|\.\d|\/)/gi;

/** Objects at the top level of the text that have something of a judgement. */
function objectsIn(text: string): Record<string, unknown>[] {
  const source = createSource(text);
  const objects: Record<string, unknown>[] = [];
  let at = text.indexOf('{');
  for (let tried = 0; at >= 0 && tried < MAX_OBJECTS; tried++) {
    const read = readJson(source, at, { mayMiss: 2 });
    const value = read.ok ? read.value : null;
    const usable = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (usable && ('score' in value || 'criteria' in value)) objects.push(value as Record<string, unknown>);
    at = text.indexOf('{', usable && read.end > at ? read.end : at + 1);
  }
  return objects;
}

function fromObject(object: Record<string, unknown>, rubric: Rubric): JudgeAnswer | string {
  const rationale = typeof object.rationale === 'string' ? object.rationale.slice(0, MAX_RATIONALE) : null;
  const given = criteriaOf(object, rubric);
  if (typeof given === 'string') return given;
  const weighted = weightedMean(given, rubric);
  if (weighted !== null) return { score: weighted, components: given, rationale };
  const number = numberOf(object.score);
  if (number === null) {
    const absent = rubric.criteria.filter(({ name }) => !(name in given)).map(({ name }) => name);
    return absent.length === 0 ? 'the score is no number' : `no score for ${absent.join(', ')}`;
  }
  const score = normalise(number, rubric);
  return score === null ? outside(number, rubric) : { score, components: given, rationale };
}

/** The rubric's criteria that were scored, from 0 to 1. */
function criteriaOf(object: Record<string, unknown>, rubric: Rubric): Record<string, number> | string {
  const inner = typeof object.criteria === 'object' && object.criteria !== null ? object.criteria : object;
  const scores: Record<string, number> = {};
  for (const { name } of rubric.criteria) {
    const said = (inner as Record<string, unknown>)[name];
    // `"outcome": {"score": 0.5, "why": …}` is as good.
    const number = numberOf(said) ?? numberOf((said as { score?: unknown } | null | undefined)?.score);
    if (number === null) continue;
    const score = normalise(number, rubric);
    if (score === null) return `${name}: ${outside(number, rubric)}`;
    scores[name] = score;
  }
  return scores;
}

/** Null unless every criterion has a score. */
function weightedMean(scores: Record<string, number>, { criteria }: Rubric): number | null {
  if (criteria.length === 0 || criteria.some(({ name }) => !(name in scores))) return null;
  const total = criteria.reduce((sum, { weight }) => sum + weight, 0);
  return criteria.reduce((sum, { name, weight }) => sum + (scores[name] as number) * weight, 0) / total;
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : null;
}

/** From the rubric's scale to 0…1; null outside of it: a score is not guessed. */
function normalise(value: number, { scale: [least, greatest] }: Rubric): number | null {
  return value < least || value > greatest ? null : (value - least) / (greatest - least);
}

const outside = (value: number, { scale: [least, greatest] }: Rubric): string =>
  `the score ${value} is outside of ${least} to ${greatest}`;
