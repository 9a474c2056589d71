import { EPISODE_SOURCES, type Episode } from '../../core/trajectory/episode.schema.js';
import { isJsonObject } from '../json-spacing.js';

/** Ours in a row's `metadata`: never null, so that each is a column of strings from the first row on. */
const OURS = ['source', 'status', 'session_id'] as const;
const STATUSES = ['success', 'retryable_failure', 'terminal_failure', 'needs_human_review'] as const;
const UNKNOWN = 'unknown';

/** The first part of a row's `metadata`: where the rollout comes from, and how it ended. */
export function ourFields({ source, outcome, sessionId }: Episode): Record<string, string> {
  return { source, status: outcome.status ?? UNKNOWN, session_id: sessionId };
}

/** The row's own fields, out of the way of ours. */
export function ownFields({ metadata }: Episode): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [isOurs(key) ? `own_${key}` : key, value]),
  );
}

/** Both, read back from the `metadata` of a row, ours or another tool's. */
export function readFields(found: unknown): {
  facts: Pick<Episode, 'source' | 'metadata'>;
  status: Episode['outcome']['status'];
  sessionId: string | null;
} {
  const metadata = isJsonObject(found) ? { ...found } : {};
  const source = EPISODE_SOURCES.find((known) => known === metadata.source);
  const status = STATUSES.find((known) => known === metadata.status) ?? null;
  const sessionId = typeof metadata.session_id === 'string' ? metadata.session_id : null;
  if (source) delete metadata.source;
  if (status || metadata.status === UNKNOWN) delete metadata.status;
  delete metadata.session_id;
  const own = Object.entries(metadata).filter(([, value]) => value !== null);
  return {
    facts: {
      source: source ?? 'record',
      metadata: Object.fromEntries(own.map(([key, value]) => [plainKey(key), value])),
    },
    status,
    sessionId,
  };
}

const isOurs = (key: string): boolean => OURS.some((ours) => key === ours);
const plainKey = (key: string): string => (isOurs(key.replace(/^own_/, '')) ? key.replace(/^own_/, '') : key);
