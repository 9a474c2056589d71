import type { HostRow } from '../../hosts/host-rows.js';
import { duration, UNKNOWN } from '../../report/quantities.js';
import { type Cell, type Column, painted, renderTable } from '../../report/table.js';
import type { Look } from '../look.js';

const COLUMNS: Column[] = [
  { title: 'host' },
  { title: 'state' },
  { title: 'role' },
  { title: 'sandboxes', flexible: true },
  { title: 'machine' },
  { title: 'last seen', align: 'right' },
];
const COLOURS = { working: 'green', draining: 'yellow', left: 'dim', silent: 'red' } as const;

/** `hosts` for people. */
export function renderHosts(hosts: readonly HostRow[], now: number, { style, columns }: Look): string[] {
  if (hosts.length === 0) return ['No worker has been here yet. Start one: longrun worker'];
  const rows = hosts.map((host): Cell[] => [
    host.hostId,
    painted(style, COLOURS[host.state], host.state),
    host.role,
    sandboxes(host),
    host.hostname,
    host.lastSeenAt === null ? UNKNOWN : `${duration(Math.max(0, now - host.lastSeenAt))} ago`,
  ]);
  return renderTable(COLUMNS, rows, columns, style);
}

/** Held and possible, by kind. */
function sandboxes({ capacity, live }: HostRow): string {
  const kinds = Object.entries(capacity).map(([kind, n]) => `${kind} ${live[kind] ?? 0}/${n}`);
  return kinds.length === 0 ? UNKNOWN : kinds.join(', ');
}
