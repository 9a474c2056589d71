import { LongrunError } from '../core/errors.js';
import { askedFamily } from './asked-family.js';
import type { CallFormat, WrittenCall } from './call-format.js';
import { FAMILY_FORMATS, resolveFamily } from './families.js';

/** Writes calls as a model of the family does: the inverse of `parse`. `format` names one of its several formats (`formatsOf`). */
export function renderToolCalls(
  family: string,
  calls: readonly WrittenCall[],
  { format }: { format?: string } = {},
): string {
  return formatOf(family, format).render(calls);
}

/** Names of the formats of a family, the one that is written by default first. */
export function formatsOf(family: string): string[] {
  return FAMILY_FORMATS[askedFamily(family).family ?? 'openai'].map(({ name }) => name);
}

function formatOf(family: string, format: string | undefined): CallFormat {
  const row = FAMILY_FORMATS[askedFamily(family).family ?? 'openai'];
  const name = format ?? resolveFamily(family).format;
  const found = name === null ? row[0] : row.find((candidate) => candidate.name === name);
  if (found) return found;
  throw new LongrunError('bad_input', `the family ${family} has no format ${JSON.stringify(name)}`, {
    hint: `its formats are: ${row.map((one) => one.name).join(', ')}`,
    exitCode: 2,
  });
}
