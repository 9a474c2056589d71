import type { BoundedOutput } from './sandbox.js';

/** Keeps the first and the last half of a stream within `limitBytes` and counts what lies between. */
export class OutputBuffer {
  private readonly headLimit: number;
  private readonly tailLimit: number;
  private head: Uint8Array[] = [];
  private headBytes = 0;
  private tail: Uint8Array[] = [];
  private tailBytes = 0;
  private totalBytes = 0;

  constructor(limitBytes: number) {
    this.headLimit = Math.ceil(limitBytes / 2);
    this.tailLimit = Math.floor(limitBytes / 2);
  }

  push(chunk: Uint8Array): void {
    this.totalBytes += chunk.length;
    const room = this.headLimit - this.headBytes;
    const first = chunk.subarray(0, room);
    if (first.length > 0) {
      this.head.push(first);
      this.headBytes += first.length;
    }
    const rest = chunk.subarray(first.length);
    if (rest.length > 0) this.pushTail(rest);
  }

  result(): BoundedOutput {
    this.compactTail();
    const head = Buffer.concat(this.head);
    const tail = Buffer.concat(this.tail);
    const omittedBytes = this.totalBytes - head.length - tail.length;
    if (omittedBytes > 0) return { head, tail, omittedBytes };
    return { head: Buffer.concat([head, tail]), tail: new Uint8Array(), omittedBytes: 0 };
  }

  private pushTail(chunk: Uint8Array): void {
    this.tail.push(chunk);
    this.tailBytes += chunk.length;
    // Compacting at twice the limit makes the cost of many small writes linear.
    if (this.tailBytes > 2 * this.tailLimit + 4096) this.compactTail();
  }

  private compactTail(): void {
    if (this.tailBytes <= this.tailLimit) return;
    const joined = Buffer.concat(this.tail);
    const kept = Uint8Array.from(joined.subarray(joined.length - this.tailLimit));
    this.tail = [kept];
    this.tailBytes = kept.length;
  }
}
