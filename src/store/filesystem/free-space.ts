import { statfs } from 'node:fs/promises';
import { toStoreError } from './store-error.js';

/** Below this much free space nothing new is placed: what runs must still be able to write its records. */
export const DISK_WATERMARK_BYTES = 512 * 1024 * 1024;

export interface FreeSpace {
  freeBytes: number;
  watermarkBytes: number;
  enough: boolean;
}

/** Free space, for this user, of the file system that holds the state folder. Errors: `store_unavailable`. */
export async function checkFreeSpace(
  stateDir: string,
  watermarkBytes: number = DISK_WATERMARK_BYTES,
): Promise<FreeSpace> {
  try {
    const found = await statfs(stateDir);
    const freeBytes = found.bavail * found.bsize;
    return { freeBytes, watermarkBytes, enough: freeBytes >= watermarkBytes };
  } catch (cause) {
    throw toStoreError(cause, 'the state folder', stateDir);
  }
}
