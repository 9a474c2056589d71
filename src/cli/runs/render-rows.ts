import { dollars, percent } from '../../report/quantities.js';
import { type Column, renderTable } from '../../report/table.js';
import type { RunRow } from '../../runs/status/run-rows.js';
import type { Look } from '../look.js';

const COLUMNS: Column[] = [
  { title: 'run' },
  { title: 'status' },
  { title: 'type' },
  { title: 'model', flexible: true },
  { title: 'done', align: 'right' },
  { title: 'pass@1', align: 'right' },
  { title: 'cost', align: 'right' },
  { title: 'started' },
];

/** `runs list` for people. */
export function renderRunRows(rows: readonly RunRow[], { style, columns }: Look): string[] {
  if (rows.length === 0)
    return ['There are no runs here yet. Start one: longrun evaluate tblite --model scripted/demo'];
  const cells = rows.map((row) => [
    row.runId,
    row.requestedBy === null ? row.status : `${row.status}, on request`,
    row.mode,
    row.model ?? `${row.agent} agent`,
    `${row.nDone}/${row.nRollouts}`,
    percent(row.passAt1),
    dollars(row.costUsd),
    new Date(row.createdAt).toISOString().slice(0, 16).replace('T', ' '),
  ]);
  return renderTable(COLUMNS, cells, columns, style);
}
