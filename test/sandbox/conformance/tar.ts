import { buffer } from 'node:stream/consumers';
import tar from 'tar-stream';

export interface Entry {
  name: string;
  type?: tar.Header['type'];
  data?: string | Buffer;
  mode?: number;
  linkname?: string;
}

/** An uncompressed tar, entries as given. */
export async function tarOf(entries: Entry[]): Promise<Uint8Array> {
  const pack = tar.pack();
  for (const { data, ...header } of entries) pack.entry(header as tar.Header, Buffer.from(data ?? ''));
  pack.finalize();
  return buffer(pack);
}

export type Unpacked = Map<string, { type: string; mode: number; linkname: string | null; data: Buffer }>;

/** Entries by name, without trailing slashes. */
export async function untar(archive: Uint8Array): Promise<Unpacked> {
  const extract = tar.extract();
  const found: Unpacked = new Map();
  extract.end(Buffer.from(archive));
  for await (const entry of extract) {
    const data = await buffer(entry);
    const { type, mode, linkname, name } = entry.header;
    found.set(name.replace(/\/$/, ''), {
      type: type ?? 'file',
      mode: (mode ?? 0) & 0o7777,
      linkname: linkname ?? null,
      data,
    });
  }
  return found;
}
