import { writeTar } from './tar-entries.js';

/** A tar that holds one world-readable file, for `Sandbox.putArchive`. */
export function singleFileTar(name: string, content: Uint8Array): Promise<Uint8Array> {
  return writeTar([{ path: name, type: 'file', mode: 0o644, mtime: new Date(0), content, target: '' }]);
}
