import { z } from 'zod';
import { HOST_ROLES, holdsSandboxes } from '../core/host/host-role.js';
import { MINUTE_MS } from '../core/time.js';
import { keys } from './keys.js';
import { readChildren } from './records/records.js';
import type { ArtifactStore } from './store.js';

/** A living worker writes its record every 10 s; one that has not for so long is not there. */
export const HOST_PRESENT_MS = MINUTE_MS;

const perKind = z.record(z.string(), z.number()).default({});

/** What a worker process tells of itself, so that others know whether work could move to it. */
export const hostRecordSchema = z.object({
  schemaVersion: z.literal(1),
  hostId: z.string(),
  hostname: z.string(),
  firstSeenAt: z.number(),
  role: z.enum(HOST_ROLES).default('all'),
  pid: z.number().int().nullable().default(null),
  /** Sandboxes it may hold and holds, by kind. */
  capacity: perKind,
  live: perKind,
  /** Takes no new rollouts. */
  draining: z.boolean().default(false),
  /** Null in records of versions that did not tell. */
  lastSeenAt: z.number().nullable().default(null),
  /** When it said goodbye; null while it works, and when it died. */
  leftAt: z.number().nullable().default(null),
});
export type HostRecord = z.infer<typeof hostRecordSchema>;

/** Every worker that the store was ever told of, by name. */
export async function readHosts(store: ArtifactStore): Promise<HostRecord[]> {
  return (await readChildren(store, hostRecordSchema, keys.hosts)).map(({ value }) => value);
}

export function isPresent(
  { lastSeenAt, leftAt }: Pick<HostRecord, 'lastSeenAt' | 'leftAt'>,
  now: number,
): boolean {
  return leftAt === null && lastSeenAt !== null && now - lastSeenAt < HOST_PRESENT_MS;
}

/** Whether it takes new rollouts in sandboxes of this kind now. */
export function takesWork(host: HostRecord, driver: string, now: number): boolean {
  const able = holdsSandboxes(host.role) && !host.draining && (host.capacity[driver] ?? 0) > 0;
  return able && isPresent(host, now);
}
