import { LongrunError } from '../core/errors.js';

/** Task priorities and poller autoscaling came with it. */
export const OLDEST_SERVER = '1.28.0';

/** Whether `1.29.1`-like `version` is `oldest` or newer; one that is no version is taken for new (a custom build). */
export function isAtLeast(version: string, oldest: string): boolean {
  const found = numbers(version);
  if (found === null) return true;
  const wanted = numbers(oldest) ?? [];
  for (const [index, want] of wanted.entries()) {
    const have = found[index] ?? 0;
    if (have !== want) return have > want;
  }
  return true;
}

function numbers(version: string): number[] | null {
  const match = /^v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(version);
  return match === null ? null : match.slice(1).map((part) => Number(part ?? 0));
}

/** `found` is the beginning of the sentence, up to the version. */
export function serverTooOld(found: string, version: string): LongrunError {
  return new LongrunError(
    'temporal_version',
    `${found} ${version}; longrun needs ${OLDEST_SERVER} or newer`,
    {
      hint: 'Upgrade it (the Temporal CLI from 1.4.1 on holds a new enough server), or set TEMPORAL_ADDRESS to another.',
    },
  );
}
