import { z } from 'zod';
import { badInput } from '../../core/errors.js';
import type { PartWeight, PartWeights } from '../../core/reward/composite.js';
import { IMPLICIT_NAMES } from '../../core/reward/implicit-signal.js';
import { isPartName, PLAIN_PARTS } from '../../core/reward/part-values.js';
import { closest } from '../../core/text/closest.js';
import { parseYaml } from './rubric.js';

const partSchema = z.union([
  z.number().positive(),
  z.strictObject({
    weight: z.number().positive(),
    missing: z.number().optional(),
    limit: z.number().positive().optional(),
  }),
]);

const KNOWN = [
  ...PLAIN_PARTS,
  ...IMPLICIT_NAMES.map((name) => `implicit.${name}`),
  'environment.<key>',
  'reward_model.<criterion>',
];

/** Reads a weights file (YAML or JSON): part → weight, or `{weight, missing, limit}`. Throws `bad_input` naming the part and what is known. */
export function parseWeights(text: string, file: string): PartWeights {
  const value = parseYaml(text, file);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0)
    throw badInput(`${file}: found no weights, accepted: lines like "environment: 3".`);
  return Object.fromEntries(
    Object.entries(value).map(([name, given]) => {
      checkName(name, file);
      return [name, readPart(name, given, file)];
    }),
  );
}

function checkName(name: string, file: string): void {
  if (isPartName(name)) return;
  const meant = closest(name, KNOWN);
  throw badInput(
    `${file}: no part of a reward is named "${name}".`,
    `${meant ? `Did you mean ${meant}? ` : ''}Known: ${KNOWN.join(', ')}.`,
  );
}

/** Refuses criteria that the reward model does not give: no row would get a reward. Throws `bad_input`. */
export function checkCriteria(weights: PartWeights, file: string, criteria: readonly string[]): void {
  for (const name of Object.keys(weights)) {
    const criterion = /^reward_model\.(.+)$/.exec(name)?.[1];
    if (criterion === undefined || criteria.includes(criterion)) continue;
    const known = criteria.length === 0 ? 'It has none.' : `It has ${criteria.join(', ')}.`;
    throw badInput(`${file}: ${name}: the rubric has no criterion "${criterion}".`, known);
  }
}

function readPart(name: string, given: unknown, file: string): PartWeight {
  const parsed = partSchema.safeParse(given);
  if (!parsed.success)
    throw badInput(
      `${file}: ${name}: found ${JSON.stringify(given)}, accepted: a number above 0, or {weight, missing, limit}.`,
      'missing: the value of an episode that lacks the part; limit: the tokens at which length_penalty is whole.',
    );
  const part = typeof parsed.data === 'number' ? { weight: parsed.data } : parsed.data;
  return { weight: part.weight, missing: part.missing ?? null, limit: part.limit ?? null };
}
