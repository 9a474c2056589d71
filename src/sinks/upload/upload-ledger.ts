import { join } from 'node:path';
import { sha256 } from '../../trajectories/digest.js';
import { Ledger } from '../../trajectories/files/ledger.js';
import type { UploadRow } from './upload-row.js';

/** What became of a row: stored there, or refused with this reason. */
export type Mark = 'stored' | { refused: string };

export interface ParkedRow {
  key: string;
  sessionId: string;
  reason: string;
}

const HASH_CHARACTERS = 24;

/** Where the ledger of an endpoint is: the same for every input, so that rows which lie in two of them go once. */
export function uploadLedgerFile(stateDir: string, endpoint: string): string {
  return join(stateDir, 'uploads', `${sha256(endpoint).slice(0, HASH_CHARACTERS)}.jsonl`);
}

/** What an endpoint has, as far as it was acknowledged. */
export class UploadLedger {
  /** Refused in this upload, and not noted for good yet. */
  private readonly held: ParkedRow[] = [];
  stored = 0;
  parked = 0;

  private constructor(private readonly marks: Ledger<Mark>) {}

  /** Whether the endpoint has ever taken a row. */
  get hasTaken(): boolean {
    return this.marks.size > 0;
  }

  static async open(path: string): Promise<UploadLedger> {
    return new UploadLedger(await Ledger.open<Mark>(path));
  }

  markOf(key: string): Mark | undefined {
    return this.marks.get(key);
  }

  /** Acknowledged rows, on disk before this returns. */
  async store(rows: readonly UploadRow[]): Promise<void> {
    if (rows.length === 0) return;
    this.stored += rows.length;
    await this.marks.putAll(rows.map(({ key }) => ({ key, value: 'stored' })));
    await this.settle();
  }

  /**
   * A refused row. It is noted for good once the endpoint has taken any row: one that refuses everything
   * has a fault of its own.
   */
  async park(row: ParkedRow): Promise<void> {
    this.held.push(row);
    this.parked += 1;
    if (this.hasTaken) await this.settle();
  }

  private async settle(): Promise<void> {
    const held = this.held.splice(0);
    await this.marks.putAll(held.map(({ key, reason }) => ({ key, value: { refused: reason } })));
  }

  async close(): Promise<void> {
    await this.marks.close();
  }
}
