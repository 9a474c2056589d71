import { cutToWidth } from '../../../report/display-width.js';
import { escapeTerminalLine } from '../../../report/escape-terminal.js';
import type { ExportCounts } from '../../../trajectories/export.js';

export interface ExportDone {
  format: string;
  counts: ExportCounts;
  /** What was written. */
  files: readonly string[];
  /** Lines that could not be read. */
  broken: number;
}

/** A reason may quote what a sandbox printed. */
const REASON_COLUMNS = 160;
/** What can be done about rows that a format refuses. */
const REMEDIES: Record<string, string> = {
  no_sampled_ids: '--tokenize <folder> makes ids with the tokenizer of the model, and marks such rows',
};
/** Of a folder of many files, so many are named. */
const FILES_SHOWN = 5;

/** `traj export` and `traj import` for people. */
export function renderExport({ counts, files, broken }: ExportDone): string[] {
  const { episodes, written, refused, reasons } = counts;
  const lines = [
    `Read ${counted(episodes, 'trajectory', 'trajectories')}, wrote ${counted(written, 'row', 'rows')}.`,
  ];
  for (const [code, count] of Object.entries(refused)) {
    lines.push(`Not written: ${count} (${code}); ${cutToWidth(reasons[code] ?? '', REASON_COLUMNS)}`);
    if (code in REMEDIES) lines.push(`  ${REMEDIES[code]}`);
  }
  if (broken > 0) lines.push(`${counted(broken, 'line', 'lines')} could not be read.`);
  lines.push(...files.slice(0, FILES_SHOWN).map((file) => `Wrote ${file}`));
  if (files.length > FILES_SHOWN) lines.push(`… and ${files.length - FILES_SHOWN} more files`);
  return lines.map(escapeTerminalLine);
}

/** There was something to write, and none of it could be: no success, whatever follows in a pipeline. */
export function nothingCame({ counts, broken }: Pick<ExportDone, 'counts' | 'broken'>): boolean {
  return counts.written === 0 && counts.episodes + broken > 0;
}

/** The same for machines. */
export function exportDocument({ format, counts, files, broken }: ExportDone): Record<string, unknown> {
  const { episodes, written, refused, reasons, warnings } = counts;
  return { format, episodes, written, refused, reasons, warnings, broken_lines: broken, files };
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
