const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)?$/;

/**
 * `2026-03-30T14:22:31.456789`: ISO, UTC, no zone, always six digits of a second: of whole seconds `datasets` makes
 * another type. An unknown time is an empty string, because a column that begins with nulls cannot take strings later.
 */
export function timestamp(epochMs: number | null): string {
  if (epochMs === null) return '';
  const microseconds = Math.round(epochMs * 1000);
  const seconds = Math.floor(microseconds / 1_000_000);
  const fraction = String(microseconds - seconds * 1_000_000).padStart(6, '0');
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${fraction}`;
}

/** Epoch milliseconds, with microseconds as their fraction; a time without a zone is UTC. Null for what is no time. */
export function parseTimestamp(text: unknown): number | null {
  const [, day, time, fraction = '', zone = 'Z'] = TIME.exec(typeof text === 'string' ? text : '') ?? [];
  const ms = Date.parse(`${day}T${time}${zone}`);
  return Number.isNaN(ms) ? null : (ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))) / 1000;
}
