import { setTimeout as sleepFor } from 'node:timers/promises';
import { LongrunError } from '../../core/errors.js';
import { MINUTE_MS, SECOND_MS } from '../../core/time.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import { batchesOf } from './batches.js';
import { Delivery } from './deliver.js';
import { checkEndpoint, Receiver } from './receiver.js';
import { type ParkedRow, UploadLedger } from './upload-ledger.js';
import { type UploadRow, uploadRow } from './upload-row.js';

export interface UploadOptions {
  episodes: AsyncIterable<Episode>;
  /** Where batches are posted; https unless on this machine or `insecure`. */
  endpoint: string;
  /** Sent as a bearer token and to nobody else; null = none. */
  apiKey: string | null;
  /** What was acknowledged is noted here: `uploadLedgerFile(stateDir, endpoint)`. */
  ledgerFile: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Ends the upload after the request in the air. */
  signal?: AbortSignal;
  batchRows?: number;
  /** Of a body before it is packed. */
  batchBytes?: number;
  gzip?: boolean;
  insecure?: boolean;
  /** Reads and counts, sends nothing. */
  dryRun?: boolean;
  /** Sends rows again that were refused earlier. */
  retryParked?: boolean;
  /** Given up after so long without anything being stored. */
  maxWaitMs?: number;
  /** Of the first wait, when the receiver does not say. */
  backoffMs?: number;
  now?: () => number;
  random?: () => number;
  onParked?: (row: ParkedRow) => void;
  onWait?: (ms: number, reason: string) => void;
  /** Told of each row that was read. */
  onRow?: () => void;
}

export interface UploadReport {
  rows: number;
  /** Acknowledged now; with `dryRun` those that would be sent. */
  stored: number;
  /** Acknowledged by an earlier upload, or twice in the input. */
  already: number;
  /** Refused now. */
  parked: number;
  /** Refused by an earlier upload, and not sent. */
  parkedEarlier: number;
  requests: number;
  /** That went over the wire; with `dryRun` those of the rows, unpacked. */
  bytes: number;
}

export const UPLOAD_DEFAULTS = { batchRows: 100, batchBytes: 4 * 1024 * 1024, maxWaitMs: 10 * MINUTE_MS };

/**
 * Sends episodes to a receiver, each until it is acknowledged or refused. What is acknowledged is on disk before
 * the next batch goes, so that an upload which is killed goes on where it stopped.
 * Errors: `bad_input`, `sink_unavailable` (retryable), `sink_refused`, `cancelled`.
 */
export async function uploadEpisodes(options: UploadOptions): Promise<UploadReport> {
  checkEndpoint(options.endpoint, options.insecure === true);
  const ledger = await UploadLedger.open(options.ledgerFile);
  const report: UploadReport = {
    ...{ rows: 0, stored: 0, already: 0, parked: 0, parkedEarlier: 0 },
    ...{ requests: 0, bytes: 0 },
  };
  const { batchRows: rows = UPLOAD_DEFAULTS.batchRows, batchBytes: bytes = UPLOAD_DEFAULTS.batchBytes } =
    options;
  const batches = batchesOf(openRows(options, ledger, report), { rows, bytes });
  try {
    if (options.dryRun) await countOnly(batches, report);
    else await send(batches, options, ledger, report);
  } finally {
    await ledger.close();
  }
  return report;
}

/** Rows that the receiver neither has nor refused. */
async function* openRows(
  { episodes, retryParked, onRow, signal }: UploadOptions,
  ledger: UploadLedger,
  report: UploadReport,
): AsyncGenerator<UploadRow> {
  const underWay = new Set<string>();
  for await (const episode of episodes) {
    stop(signal);
    const row = uploadRow(episode);
    report.rows += 1;
    onRow?.();
    const mark = ledger.markOf(row.key);
    if (mark === 'stored' || underWay.has(row.key)) report.already += 1;
    else if (mark !== undefined && retryParked !== true) report.parkedEarlier += 1;
    else {
      underWay.add(row.key);
      yield row;
    }
  }
}

async function send(
  batches: AsyncIterable<UploadRow[]>,
  options: UploadOptions,
  ledger: UploadLedger,
  report: UploadReport,
): Promise<void> {
  const { endpoint, apiKey, env, gzip = true, now = Date.now, signal } = options;
  const receiver = await Receiver.open({ endpoint, apiKey, gzip, env, now });
  const { onParked, onWait } = options;
  const delivery = new Delivery({
    ...{ receiver, ledger, now, random: options.random ?? Math.random },
    maxWaitMs: options.maxWaitMs ?? UPLOAD_DEFAULTS.maxWaitMs,
    backoffMs: options.backoffMs ?? SECOND_MS,
    sleep: (ms) => sleepFor(ms, undefined, signal ? { signal } : {}).catch(() => stop(signal)),
    ...(onParked && { onParked }),
    ...(onWait && { onWait }),
  });
  try {
    for await (const batch of batches) {
      stop(signal);
      await delivery.deliver(batch);
    }
  } finally {
    report.stored = ledger.stored;
    report.parked = ledger.parked;
    report.requests = receiver.requests;
    report.bytes = receiver.sentBytes;
    await receiver.close();
  }
}

async function countOnly(batches: AsyncIterable<UploadRow[]>, report: UploadReport): Promise<void> {
  for await (const batch of batches) {
    report.requests += 1;
    report.stored += batch.length;
    for (const { bytes } of batch) report.bytes += bytes;
  }
}

function stop(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new LongrunError('cancelled', 'The upload was interrupted', {
    exitCode: 130,
    hint: 'The same command goes on where this one stopped.',
  });
}
