import { join } from 'node:path';
import { FilesystemStore } from './filesystem/filesystem-store.js';
import type { ArtifactStore } from './store.js';

export {
  checkFreeSpace,
  DISK_WATERMARK_BYTES,
  type FreeSpace,
} from './filesystem/free-space.js';
export type { ArtifactStore } from './store.js';

/** Opens the artifact store of a state folder, making it when missing. */
export async function openStore(stateDir: string): Promise<ArtifactStore> {
  return FilesystemStore.open(join(stateDir, 'store'));
}
