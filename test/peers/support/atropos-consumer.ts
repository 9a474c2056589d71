import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
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

  constructor(url: string, { batchSize, groupSize }: { batchSize: number; groupSize: number }) {
    this.child = startPython(['atropos_consumer.py', url, this.output, String(batchSize), String(groupSize)]);
  }

  /** In the order of arrival. Throws when the consumer has given up. */
  get items(): ConsumedItem[] {
    if (this.child.exitCode !== null) throw new Error(`the consumer gave up: ${stderrOf(this.child)}`);
    if (!existsSync(this.output)) return [];
    const lines = readFileSync(this.output, 'utf8').split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line) as ConsumedItem);
  }

  async stop(): Promise<void> {
    await killed(this.child);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
