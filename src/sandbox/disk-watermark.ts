import { statfs } from 'node:fs/promises';

const GIB = 1024 ** 3;
const SHARE = 0.1;

export interface DiskSpace {
  freeBytes: number;
  totalBytes: number;
}

/** Free bytes below which a disk counts as short; null = as it suits the disk: a tenth of it, at most 5 GiB. */
export function watermarkBytes({ totalBytes }: DiskSpace, wanted: number | null): number {
  return wanted ?? Math.min(SHARE * totalBytes, 5 * GIB);
}

/** Free space, for this user, of the disk that holds a folder. */
export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

export async function isDiskShort(
  folders: readonly string[],
  wanted: number | null,
  measure: (folder: string) => Promise<DiskSpace> = diskSpace,
): Promise<boolean> {
  const spaces = await Promise.all(folders.map(measure));
  return spaces.some((space) => space.freeBytes < watermarkBytes(space, wanted));
}
