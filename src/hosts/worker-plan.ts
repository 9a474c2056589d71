import { badInput } from '../core/errors.js';
import { type HostCapacity, parseCapacity } from '../core/host/host-capacity.js';
import { type HostRole, holdsSandboxes } from '../core/host/host-role.js';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/time.js';

const KINDS = ['docker', 'bubblewrap', 'memory'];
const UNITS: Record<string, number> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS };

/** `90s`, `10m`, `2h` or `0`, as the settings accept it, in ms. */
export function durationMs(text: string): number {
  const unit = UNITS[text.at(-1) ?? ''];
  return unit === undefined ? 0 : Number.parseInt(text, 10) * unit;
}

/** What a worker shall hold; null = as the machine bears. Throws `bad_input`. */
export function capacityOf(text: string | null, role: HostRole): HostCapacity | null {
  if (text === null) return null;
  if (holdsSandboxes(role)) return parseCapacity('--capacity', text, KINDS);
  throw badInput('--capacity: an orchestrator holds no sandboxes.', 'Leave it out, or use --role all.');
}

/**
 * Divides a host's capacity among its processes, the remainder to the first ones; kinds that were not asked for
 * are divided as the machine bears them. Throws `bad_input` when there is less than one for each.
 */
export function divideCapacity(
  asked: HostCapacity | null,
  defaults: ReadonlyMap<string, number>,
  processes: number,
): Record<string, number>[] {
  const total = Object.fromEntries(
    [...defaults].map(([kind, usual]) => [kind, askedFor(asked, kind) ?? Math.max(usual, processes)]),
  );
  for (const [kind, n] of Object.entries(total)) {
    if (n >= processes) continue;
    throw badInput(
      `--capacity: ${n} ${kind} sandboxes cannot be shared by --processes ${processes}.`,
      'Every process needs at least one: raise --capacity or lower --processes.',
    );
  }
  const shareOf = (n: number, index: number) => Math.floor(n / processes) + (index < n % processes ? 1 : 0);
  return Array.from({ length: processes }, (_, index) =>
    Object.fromEntries(Object.entries(total).map(([kind, n]) => [kind, shareOf(n, index)])),
  );
}

function askedFor(asked: HostCapacity | null, kind: string): number | undefined {
  return asked === null || typeof asked === 'number' ? (asked ?? undefined) : asked[kind];
}
