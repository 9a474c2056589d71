import type { Serving, SinkLine } from '../records/serving.js';
import { escapeTerminalLine } from './escape-terminal.js';

/** How far a run that serves has come, as text: a line per sink. */
export function serveLines({ shifts, groups, closed, sinks }: Serving): string[] {
  return [`shift ${shifts} · ${closed} of ${groups} groups closed`, ...sinks.map(sinkLine)];
}

function sinkLine({ name, queued, delivered, parked, skipped, masked, ...more }: SinkLine): string {
  const { policyVersion, lag, note } = more;
  if (queued === null) return `${name}: not begun`;
  const parts = [
    `${queued} queued`,
    `${delivered} delivered`,
    parked === 0 ? null : `${parked} parked`,
    skipped === 0 ? null : `${skipped} skipped`,
    masked === 0 ? null : `${masked} rollouts masked`,
    policyVersion === null ? null : `policy ${policyVersion}`,
    lag === null ? null : `lag ${lag}`,
    note,
  ];
  return escapeTerminalLine(`${name}: ${parts.filter((part) => part !== null).join(', ')}`);
}
