import { escapeTerminalLine } from './escape-terminal.js';

/** What is said of a sink. */
export interface SinkLine {
  name: string;
  queued: number | null;
  delivered: number;
  parked: number;
  skipped: number;
  masked: number;
  policyVersion: string | null;
  lag: number | null;
  note: string | null;
}

/** How far a run that serves has come: groups of the shifts that were opened, and its sinks. */
export interface Serving {
  shifts: number;
  groups: number;
  closed: number;
  sinks: SinkLine[];
}

/** The same as text, a line per sink. */
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
