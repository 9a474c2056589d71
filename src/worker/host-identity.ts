import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { keys } from '../store/keys.js';
import { putRecordIfAbsent, readRecord } from '../store/records.js';
import type { ArtifactStore } from '../store/store.js';

const FILE = 'host-id';

export const hostRecordSchema = z.object({
  schemaVersion: z.literal(1),
  hostId: z.string(),
  hostname: z.string(),
  firstSeenAt: z.number(),
});

/** The stable id of this state folder as a host; queues and sandbox labels carry it. */
export async function hostIdentity(stateDir: string, newId: () => string): Promise<string> {
  const path = join(stateDir, FILE);
  const name =
    hostname()
      .replace(/[^A-Za-z0-9-]/g, '-')
      .slice(0, 40) || 'host';
  try {
    await writeFile(path, `${name}-${newId().slice(0, 8)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return (await readFile(path, 'utf8')).trim();
}

/** Tells the store of this host, so that runs know whether work could move elsewhere. */
export async function registerHost(store: ArtifactStore, hostId: string, now: () => number): Promise<void> {
  if ((await readRecord(store, hostRecordSchema, keys.host(hostId))) !== null) return;
  const record = { schemaVersion: 1 as const, hostId, hostname: hostname(), firstSeenAt: now() };
  await putRecordIfAbsent(store, hostRecordSchema, keys.host(hostId), record);
}
