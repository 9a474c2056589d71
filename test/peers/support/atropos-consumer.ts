import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killed, startPython, stderrOf } from './atropos-server.js';

/** One item that the consumer was handed. */
export interface ConsumedItem {
  batch: number;
  /** What is wrong with it; null = nothing. */
  error: string | null;
  group: string | null;
  item: number;
  items: number;
  delivery: Record<string, unknown> | null;
  rollouts: string[];
  tokens: number[][];
  scores: number[];
}

/** atropos_consumer.py at work against a server that speaks Atropos' protocol, and what it got. */
export class AtroposConsumer {
  private readonly folder = mkdtempSync(join(tmpdir(), 'longrun-atropos-'));
  private readonly output = join(this.folder, 'consumed.jsonl');
  private readonly child;
  private readonly read: ConsumedItem[] = [];
  private offset = 0;

  constructor(url: string, { batchSize, groupSize }: { batchSize: number; groupSize: number }) {
    this.child = startPython(['atropos_consumer.py', url, this.output, String(batchSize), String(groupSize)]);
  }

  /** In the order of arrival. Throws when the consumer has given up. */
  get items(): ConsumedItem[] {
    if (this.child.exitCode !== null) throw new Error(`the consumer gave up: ${stderrOf(this.child)}`);
    this.readOn();
    return this.read;
  }

  async stop(): Promise<void> {
    await killed(this.child);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Only what is new: the whole file would keep this process, and the model in it, from everything else. */
  private readOn(): void {
    const file = openSync(this.output, 'a+');
    try {
      const bytes = Buffer.alloc(fstatSync(file).size - this.offset);
      const read = readSync(file, bytes, 0, bytes.length, this.offset);
      const whole = bytes.subarray(0, bytes.lastIndexOf(10, read - 1) + 1);
      for (const line of whole.toString('utf8').split('\n').slice(0, -1)) this.read.push(JSON.parse(line));
      this.offset += whole.length;
    } finally {
      closeSync(file);
    }
  }
}
