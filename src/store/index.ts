import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FilesystemStore } from './filesystem/filesystem-store.js';
import { toOpenError } from './filesystem/store-error.js';
import { parseS3Location } from './s3/s3-location.js';
import type { ArtifactStore } from './store.js';

export {
  checkFreeSpace,
  DISK_WATERMARK_BYTES,
  type FreeSpace,
} from './filesystem/free-space.js';
export type { ArtifactStore } from './store.js';

/**
 * Opens the artifact store: the one that LONGRUN_STORE names (`s3://bucket/prefix?…`; `--store` sets it), else a
 * folder in the state folder. The state folder is made when missing: host id, locks, embedded server and caches
 * stay in it.
 */
export async function openStore(
  stateDir: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ArtifactStore> {
  const storeUrl = env.LONGRUN_STORE;
  if (!storeUrl) return FilesystemStore.open(join(stateDir, 'store'));
  const location = parseS3Location(storeUrl);
  await mkdir(stateDir, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    throw toOpenError(cause, stateDir);
  });
  // The client costs a tenth of a second that a store in a folder need not pay.
  const { S3Store } = await import('./s3/s3-store.js');
  return S3Store.open(location);
}

/** Refuses, by name, an address of a store that cannot be one. */
export function checkStoreUrl(storeUrl: string): void {
  parseS3Location(storeUrl);
}
