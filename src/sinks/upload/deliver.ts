import { LongrunError } from '../../core/errors.js';
import { MINUTE_MS } from '../../core/time.js';
import type { Answer } from './answer.js';
import type { Receiver } from './receiver.js';
import type { ParkedRow, UploadLedger } from './upload-ledger.js';
import type { UploadRow } from './upload-row.js';

/** Refused rows in a row, with none stored ever, after which the endpoint is at fault. */
const REFUSES_ALL = 20;
const LONGEST_BACKOFF_MS = MINUTE_MS;

export interface DeliveryParts {
  receiver: Pick<Receiver, 'post' | 'name'>;
  ledger: UploadLedger;
  /** Given up after so long without anything being stored. */
  maxWaitMs: number;
  /** Of the first wait, when the receiver does not say; it doubles. */
  backoffMs: number;
  now(): number;
  random(): number;
  /** Rejects with `cancelled` when the upload is to end. */
  sleep(ms: number): Promise<void>;
  onParked?(row: ParkedRow): void;
  onWait?(ms: number, reason: string): void;
}

/** Brings batches to the receiver, each row until it is acknowledged or refused. */
export class Delivery {
  private tries = 0;
  private since: number;

  constructor(private readonly parts: DeliveryParts) {
    this.since = parts.now();
  }

  /** Errors: `sink_unavailable`, `sink_refused`, `cancelled`. */
  async deliver(rows: readonly UploadRow[]): Promise<void> {
    let open = rows;
    while (open.length > 0) {
      const answer = await this.parts.receiver.post(open);
      if (answer.kind === 'refused') throw this.refused(answer.reason);
      if (answer.kind === 'rows_refused') return this.splitOrPark(open, answer.reason);
      if (answer.kind === 'taken') {
        const left = await this.take(open, answer);
        if (left.length < open.length) this.progress();
        open = left;
        if (open.length > 0) await this.wait(null, 'it acknowledged only some of the rows');
      } else await this.wait(answer.afterMs, answer.reason);
    }
  }

  /** Answers the rows that are neither acknowledged nor refused. */
  private async take(
    rows: readonly UploadRow[],
    { stored, rejected }: Extract<Answer, { kind: 'taken' }>,
  ): Promise<UploadRow[]> {
    const isStored = ({ key }: UploadRow): boolean => !rejected.has(key) && (stored?.has(key) ?? true);
    await this.parts.ledger.store(rows.filter(isStored));
    for (const row of rows) {
      const reason = rejected.get(row.key);
      if (reason !== undefined) await this.park(row, reason);
    }
    return rows.filter((row) => !isStored(row) && !rejected.has(row.key));
  }

  private async splitOrPark(rows: readonly UploadRow[], reason: string): Promise<void> {
    const [only, ...more] = rows;
    if (only !== undefined && more.length === 0) {
      await this.park(only, reason);
      return this.progress();
    }
    const middle = Math.ceil(rows.length / 2);
    await this.deliver(rows.slice(0, middle));
    await this.deliver(rows.slice(middle));
  }

  private async park({ key, sessionId }: UploadRow, reason: string): Promise<void> {
    const { ledger, onParked } = this.parts;
    const row = { key, sessionId, reason };
    await ledger.park(row);
    onParked?.(row);
    if (!ledger.hasTaken && ledger.parked >= REFUSES_ALL)
      throw this.refused(`each of the first ${REFUSES_ALL} rows, the last with ${reason}`);
  }

  private progress(): void {
    this.tries = 0;
    this.since = this.parts.now();
  }

  /** As long as the receiver asks, else exponentially longer with jitter. */
  private async wait(askedMs: number | null, reason: string): Promise<void> {
    const { now, random, backoffMs, maxWaitMs, sleep, onWait } = this.parts;
    const ceiling = Math.min(LONGEST_BACKOFF_MS, backoffMs * 2 ** this.tries);
    const ms = askedMs ?? Math.round(ceiling / 2 + (random() * ceiling) / 2);
    this.tries += 1;
    if (now() + ms - this.since > maxWaitMs) throw this.unavailable(ms, reason);
    onWait?.(ms, reason);
    await sleep(ms);
  }

  private refused(reason: string): LongrunError {
    return new LongrunError('sink_refused', `${this.parts.receiver.name} refuses: ${reason}`, {
      hint: reason.startsWith('415')
        ? 'It may not take packed bodies: try --no-gzip.'
        : 'Check --endpoint and the key (--api-key-env). What it has stored is noted, and not sent again.',
    });
  }

  private unavailable(ms: number, reason: string): LongrunError {
    const seconds = Math.round(ms / 1_000);
    return new LongrunError('sink_unavailable', `${this.parts.receiver.name} takes nothing: ${reason}`, {
      retryable: true,
      hint: `The same command goes on where this one stopped (next try after ${seconds} s; --max-wait waits longer).`,
    });
  }
}
