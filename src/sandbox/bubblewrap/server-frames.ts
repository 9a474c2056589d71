/** What the host asks of the exec server, and what it answers; the numbers are also in `exec-server.ts`. */
export const REQUEST = { run: 1, kill: 2, put: 3, restart: 4, freeReserve: 5 } as const;
export const ANSWER = { output: 1, exit: 2, done: 3, failed: 4 } as const;

/** A frame is a byte of type, an id and a length (both 32 bits, big-endian), then the data. */
export interface Frame {
  type: number;
  id: number;
  data: Buffer;
}

const HEADER_BYTES = 9;
/** The server reads at most 64 KB of output at a time; nothing it says is longer than a few times that. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** A request: each field preceded by its length. */
export function encodeRequest(type: number, id: number, fields: ReadonlyArray<string | Uint8Array>): Buffer {
  const parts: Buffer[] = [];
  for (const field of fields) {
    const bytes = typeof field === 'string' ? Buffer.from(field) : Buffer.from(field);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    parts.push(length, bytes);
  }
  const data = Buffer.concat(parts);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(type);
  header.writeUInt32BE(id, 1);
  header.writeUInt32BE(data.length, 5);
  return Buffer.concat([header, data]);
}

/** Cuts a stream of answers into frames. Throws on what no server of ours says. */
export class FrameReader {
  private rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): Frame[] {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const frames: Frame[] = [];
    for (;;) {
      if (this.rest.length < HEADER_BYTES) return frames;
      const length = this.rest.readUInt32BE(5);
      if (length > MAX_ANSWER_BYTES) throw new Error(`an answer of ${length} bytes`);
      if (this.rest.length < HEADER_BYTES + length) return frames;
      const data = this.rest.subarray(HEADER_BYTES, HEADER_BYTES + length);
      frames.push({ type: this.rest.readUInt8(), id: this.rest.readUInt32BE(1), data });
      this.rest = this.rest.subarray(HEADER_BYTES + length);
    }
  }
}
