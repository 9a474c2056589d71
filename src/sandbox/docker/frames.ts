const HEADER_BYTES = 8;
const STDERR = 2;

/**
 * Takes the engine's multiplexed stream apart: frames of an 8 byte header (stream number, length) and data.
 * https://docs.docker.com/reference/api/engine/version/v1.41/#tag/Container/operation/ContainerAttach
 */
export class FrameReader {
  readonly stdout: Buffer[] = [];
  readonly stderr: Buffer[] = [];
  private pending: Buffer = Buffer.alloc(0);
  private kept = 0;

  /** Keeps at most `limitBytes` in all; what comes after is dropped. */
  constructor(private readonly limitBytes: number) {}

  push(chunk: Buffer): void {
    this.pending = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    while (this.pending.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + this.pending.readUInt32BE(4);
      if (this.pending.length < end) return;
      this.keep(
        this.pending[0] === STDERR ? this.stderr : this.stdout,
        this.pending.subarray(HEADER_BYTES, end),
      );
      this.pending = this.pending.subarray(end);
    }
  }

  private keep(into: Buffer[], data: Buffer): void {
    const room = this.limitBytes - this.kept;
    if (room <= 0) return;
    into.push(data.subarray(0, room));
    this.kept += Math.min(room, data.length);
  }
}
