/** A number that keeps its decimal point: `datasets` takes a column that begins with `1` for integers. */
export class Float {
  constructor(readonly value: number) {}
}

export const float = (value: number | null): Float | null => (value === null ? null : new Float(value));

/**
 * JSON on one line as Python's `json.dumps(value, ensure_ascii=False)` writes it: a space after `:` and `,`,
 * characters beyond ASCII as they are, lone surrogates escaped. Members that are undefined are left out.
 * Throws a RangeError for NaN and infinities, which JSON cannot carry.
 */
export function pythonJson(value: unknown): string {
  if (value instanceof Float) return floatText(value.value);
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number') return numberText(value);
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}: ${pythonJson(member)}`).join(', ')}}`;
}

function floatText(value: number): string {
  const text = numberText(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} cannot be written as JSON`);
  return String(value);
}
