/** What a receiver said to a batch. */
export type Answer =
  /** `stored`: keys that it acknowledges, null = all but the rejected ones. */
  | { kind: 'taken'; stored: ReadonlySet<string> | null; rejected: ReadonlyMap<string, string> }
  /** Nothing is known to be stored: try again, after the time that it asks for. */
  | { kind: 'again'; afterMs: number | null; reason: string }
  /** Something about the rows: the batch is split to find which. */
  | { kind: 'rows_refused'; status: number; reason: string }
  /** Something about us or the address, which every other batch would meet as well. */
  | { kind: 'refused'; status: number; reason: string };

/** Statuses that ask to come again; of 5xx all but those that say never. */
const AGAIN = new Set([408, 425, 429]);
const NEVER = new Set([501, 505]);
/** Statuses about the key, the address or the way of asking, not about rows. */
const REFUSED = new Set([401, 402, 403, 404, 405, 406, 407, 410, 411, 415, 421, 426]);

export interface RawAnswer {
  status: number;
  /** Whatever it is, cut. */
  body: string;
  retryAfterMs: number | null;
}

/** Reads a whole answer. */
export function readAnswer({ status, body, retryAfterMs }: RawAnswer): Answer {
  if (status >= 200 && status < 300) return taken(body);
  const reason = `${status}${wordsOf(body)}`;
  if (AGAIN.has(status) || (status >= 500 && !NEVER.has(status)))
    return { kind: 'again', afterMs: retryAfterMs, reason };
  if (status >= 400 && !REFUSED.has(status) && !NEVER.has(status))
    return { kind: 'rows_refused', status, reason };
  return { kind: 'refused', status, reason };
}

/** `{"accepted":[key],"rejected":[{"key","reason"}]}`; anything else means that all is stored. */
function taken(body: string): Answer {
  const { accepted, rejected } = parseObject(body);
  const refusals = (Array.isArray(rejected) ? rejected : []).flatMap((entry: unknown): [string, string][] => {
    const { key, reason } = (entry ?? {}) as { key?: unknown; reason?: unknown };
    return typeof key === 'string' ? [[key, typeof reason === 'string' ? reason : 'no reason given']] : [];
  });
  const stored = Array.isArray(accepted) ? new Set(accepted.filter((key) => typeof key === 'string')) : null;
  return { kind: 'taken', stored, rejected: new Map(refusals) };
}

/** Its own words: a JSON error, or text; a page of HTML says nothing. */
function wordsOf(body: string): string {
  const { error, message, detail } = parseObject(body);
  const said = [message, detail, error, (error as { message?: unknown } | undefined)?.message].find(
    (words) => typeof words === 'string' && words !== '',
  );
  const text = said ?? (/^\s*[<{[]/.test(body) ? '' : body);
  const line = String(text).replace(/\s+/g, ' ').trim().slice(0, 300);
  return line === '' ? '' : `: ${line}`;
}

function parseObject(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
