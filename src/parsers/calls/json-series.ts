import type { Source } from '../call-format.js';
import { readOnce } from '../json/read-arguments.js';
import type { JsonFailure, JsonRead } from '../json/read-json.js';
import { REASONING_TAGS } from '../reasoning-tags.js';
import { skipSpace } from '../source.js';

/** One value of a series and where it begins. */
export interface SeriesItem {
  at: number;
  read: JsonRead | JsonFailure;
}

export interface Series {
  /** Those that were accepted. */
  items: SeriesItem[];
  /** What ended the series without being accepted. */
  refused: SeriesItem | null;
  /** Behind the last accepted one. */
  end: number;
}

/** Within one JSON value these occur in texts only: behind them a broken value's neighbour begins. */
const BETWEEN_VALUES = ['; {', ';{', ';\n{', '}\n{', '}\n\n{', '} {', '}{', ...REASONING_TAGS];
const OPTIONS = { until: BETWEEN_VALUES, mayMiss: 1 };
const SEPARATORS = /[}\]\s]*[;,]?\s*/y;

/**
 * JSON values one behind the other, with white space, `;` or `,` between them, as Llama writes
 * several calls, as far as they are accepted.
 */
export function readSeries(source: Source, at: number, accepts: (item: SeriesItem) => boolean): Series {
  const series: Series = { items: [], refused: null, end: at };
  for (let next: number | null = at; next !== null; next = nextValue(source.text, series)) {
    const item: SeriesItem = { at: next, read: readOnce(source, next, OPTIONS) };
    if (!accepts(item)) {
      series.refused = item;
      return series;
    }
    series.items.push(item);
    series.end = item.read.end;
  }
  return series;
}

function nextValue(text: string, { items, end }: Series): number | null {
  let at = skipSpace(text, end);
  if (items.at(-1)?.read.ok === false) {
    SEPARATORS.lastIndex = end;
    at = end + (SEPARATORS.exec(text)?.[0].length ?? 0);
  } else if (text[at] === ';' || text[at] === ',') at = skipSpace(text, at + 1);
  return text[at] === '{' || text[at] === '[' ? at : null;
}
