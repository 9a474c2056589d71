import { publicUrl } from '../../../model/endpoint.js';
import { escapeTerminalLine } from '../../../report/escape-terminal.js';
import { count } from '../../../report/quantities.js';
import type { ParkedRow, UploadReport } from '../../../sinks/upload/index.js';

export interface UploadDone {
  report: UploadReport;
  endpoint: string;
  parked: readonly ParkedRow[];
  dryRun: boolean;
  /** Lines that could not be read. */
  broken: number;
}

/** `traj upload` for people. */
export function renderUpload({ report, endpoint, dryRun, broken }: UploadDone): string[] {
  const { rows, stored, already, parked, parkedEarlier, requests, bytes } = report;
  const wire = `${requests} ${requests === 1 ? 'request' : 'requests'}, ${count(bytes)} bytes`;
  const where = publicUrl(endpoint);
  const lines = [
    requests === 0
      ? `Read ${rows}: nothing to send to ${where}.`
      : dryRun
        ? `Read ${rows}: ${stored} would be sent to ${where} in ${wire} before they are packed.`
        : `Read ${rows}: ${stored} stored by ${where}, in ${wire}.`,
    already > 0 && `${already} were stored before, or are twice in the input.`,
    parked > 0 && `${parked} were refused and set aside; they are not sent again without --retry-parked.`,
    parkedEarlier > 0 &&
      `${parkedEarlier} were refused earlier and not sent; --retry-parked sends them again.`,
    broken > 0 && `${broken} lines could not be read.`,
  ];
  return lines.filter((line) => line !== false).map(escapeTerminalLine);
}

export function uploadDocument({ report, endpoint, parked, dryRun, broken }: UploadDone): unknown {
  const { rows, stored, already, parkedEarlier, requests, bytes } = report;
  return {
    endpoint: publicUrl(endpoint),
    dry_run: dryRun,
    ...{ rows, stored, already },
    parked: parked.map(({ key, sessionId, reason }) => ({
      session_id: sessionId,
      idempotency_key: key,
      reason,
    })),
    parked_earlier: parkedEarlier,
    ...{ requests, bytes },
    broken_lines: broken,
  };
}
