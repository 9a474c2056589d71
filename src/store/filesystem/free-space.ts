import { statfs } from 'node:fs/promises';
import { toStoreError } from './store-error.js';

/** Below this much free space nothing new is placed: what runs must still be able to write its records. */
export const DISK_WATERMARK_BYTES = 512 * 1024 * 1024;
/** Of a small disk, this part of it. */
const DISK_WATERMARK_SHARE = 0.05;

export interface FreeSpace {
  freeBytes: number;
  watermarkBytes: number;
  enough: boolean;
}

/** Free space, for this user, of the file system that holds the state folder. Errors: `store_unavailable`. */
export async function checkFreeSpace(stateDir: string, wanted: number | null = null): Promise<FreeSpace> {
  try {
    const { bavail, blocks, bsize } = await statfs(stateDir);
    const freeBytes = bavail * bsize;
    const watermarkBytes = wanted ?? Math.min(DISK_WATERMARK_BYTES, DISK_WATERMARK_SHARE * blocks * bsize);
    return { freeBytes, watermarkBytes, enough: freeBytes >= watermarkBytes };
  } catch (cause) {
    throw toStoreError(cause, 'the state folder', stateDir);
  }
}
