import { z } from 'zod';
import { type HostRecord, hostRecordSchema, isPresent, readHosts } from '../store/hosts.js';
import { openStore } from '../store/index.js';

export const HOST_STATES = ['working', 'draining', 'left', 'silent'] as const;

/** A host as `longrun hosts` shows it. */
export const hostRowSchema = hostRecordSchema
  .omit({ schemaVersion: true })
  .extend({ state: z.enum(HOST_STATES) });
export type HostRow = z.infer<typeof hostRowSchema>;

/** Every host that the store was ever told of, those that are there first. */
export async function listHostRows(
  stateDir: string,
  env: NodeJS.ProcessEnv,
  now: number,
): Promise<HostRow[]> {
  const hosts = await readHosts(await openStore(stateDir, env));
  const rows = hosts.map(({ schemaVersion: _, ...host }) => ({ ...host, state: stateOf(host, now) }));
  const rank = ({ state }: HostRow) => HOST_STATES.indexOf(state);
  return rows.sort((a, b) => rank(a) - rank(b) || (a.hostId < b.hostId ? -1 : 1));
}

function stateOf(host: Omit<HostRecord, 'schemaVersion'>, now: number): HostRow['state'] {
  if (host.leftAt !== null) return 'left';
  if (!isPresent(host, now)) return 'silent';
  return host.draining ? 'draining' : 'working';
}
