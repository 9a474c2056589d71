import { float } from '../python-json.js';

/** How the values of one key are written in every row. */
type ColumnKind = 'string' | 'integer' | 'float' | 'boolean' | 'strings' | 'json';

/** `datasets` takes strings that all look like this for times. */
const LIKE_A_TIME = /^\d{4}-\d\d-\d\d/;

/**
 * The keys of all rows' own fields, and how each is written: a key whose values are all of one plain kind as they
 * are, any other as JSON text, so that every row has the same columns of the same types.
 */
export class MetadataColumns {
  private readonly kinds = new Map<string, ColumnKind>();

  see(metadata: Readonly<Record<string, unknown>>): void {
    for (const [key, value] of Object.entries(metadata)) {
      const found = kindOf(value);
      if (found === null) continue;
      const before = this.kinds.get(key) ?? found;
      this.kinds.set(key, before === found ? found : bothKinds(before, found));
    }
  }

  /** The same keys for every row; null, or an empty text of JSON, where the row has no value. */
  row(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const names = [...this.kinds.keys()].sort();
    return Object.fromEntries(names.map((key) => [key, this.written(key, metadata[key] ?? null)]));
  }

  private written(key: string, value: unknown): unknown {
    const kind = this.kinds.get(key);
    if (kind === 'json') return value === null ? '' : JSON.stringify(value);
    return kind === 'float' ? float(value as number | null) : value;
  }
}

/** Null: says nothing about the kind. */
function kindOf(value: unknown): ColumnKind | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return LIKE_A_TIME.test(value) ? 'json' : 'string';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'float';
  const strings =
    Array.isArray(value) && value.every((each) => typeof each === 'string' && !LIKE_A_TIME.test(each));
  return strings ? 'strings' : 'json';
}

function bothKinds(a: ColumnKind, b: ColumnKind): ColumnKind {
  const numbers = [a, b].every((kind) => kind === 'integer' || kind === 'float');
  return numbers ? 'float' : 'json';
}
