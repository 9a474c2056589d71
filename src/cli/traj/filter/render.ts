import { escapeTerminalLine } from '../../../report/escape-terminal.js';
import { type Column, renderTable } from '../../../report/table.js';
import type { FilterReport } from '../../../trajectories/filter/filter-episodes.js';
import type { Look } from '../../look.js';

export interface FilterDone {
  report: FilterReport;
  /** What was written. */
  files: readonly string[];
  output: string;
  /** Lines that could not be read. */
  broken: number;
}

const COLUMNS: Column[] = [
  { title: 'filter' },
  { title: 'took', align: 'right' },
  { title: 'alone', align: 'right' },
  { title: 'left', align: 'right' },
];

/** `traj filter` for people: what each filter took, in order, and where everything is. */
export function renderFilter({ report, files, broken }: FilterDone, { style, columns }: Look): string[] {
  let left = report.read;
  const rows = report.filters.map(({ name, took, alone }) => {
    left -= took;
    return [name, String(took), alone === null ? '–' : String(alone), String(left)];
  });
  const counts = [`${report.failed} failed`, `${report.rejected} rejected`];
  if (broken > 0) counts.push(`${broken} could not be read`);
  return [
    ...renderTable(COLUMNS, rows, columns, style),
    '',
    `Read ${report.read}, kept ${report.kept}; ${counts.join(', ')}.`,
    ...[...files.map((file) => `Wrote ${file}`), ...notes(report)].map(escapeTerminalLine),
  ];
}

function notes({ withoutTools, uncheckable }: FilterReport): string[] {
  const unknown =
    withoutTools === 0
      ? []
      : [
          `Not checked: tool names and arguments of ${withoutTools} rows, which do not say what tools there were.`,
        ];
  return [
    ...unknown,
    ...Object.entries(uncheckable).map(
      ([tool, why]) => `Not checked: arguments of ${tool}, whose schema cannot be compiled: ${why}`,
    ),
  ];
}

export function filterDocument({ report, files, output, broken }: FilterDone): unknown {
  const { read, kept, failed, rejected, filters, withoutTools, uncheckable } = report;
  return {
    output,
    files,
    read,
    kept,
    failed,
    rejected,
    broken_lines: broken,
    filters,
    rows_without_tools: withoutTools,
    uncheckable_tools: uncheckable,
  };
}
