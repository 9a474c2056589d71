import { z } from 'zod';
import type { Score } from './scorer.js';

const scoreSchema = z.looseObject({
  score: z.number(),
  rationale: z.string().nullish(),
  criteria: z.record(z.string(), z.number()).nullish(),
  model: z.string().nullish(),
});

/** The answer of a classifier or a command for one item: a number or `{score, rationale?, criteria?}`; a string is why it has none. */
export function readWireScore(value: unknown): Score | string {
  if (typeof value === 'number') return readWireScore({ score: value });
  if (value === null || value === undefined) return 'no score was given';
  const said = (value as { error?: unknown }).error;
  if (typeof said === 'string') return said;
  const parsed = scoreSchema.safeParse(value);
  if (!parsed.success) {
    const { path = [], message = 'unreadable' } = parsed.error.issues[0] ?? {};
    return `${path.join('.') || 'the answer'}: ${message}`;
  }
  const { score, rationale, criteria, model } = parsed.data;
  return {
    score,
    components: criteria ?? {},
    rationale: rationale ?? null,
    model: model ?? null,
    usage: null,
    costUsd: null,
  };
}
