import { escapeTerminalLine } from '../../../report/escape-terminal.js';
import { count, percent, UNKNOWN } from '../../../report/quantities.js';
import type { Style } from '../../../report/style.js';
import { type Cell, renderTable } from '../../../report/table.js';
import type { Moments, StatsReport } from '../../../trajectories/stats/stats-report.schema.js';
import type { Look } from '../../look.js';
import { rewardLines } from './render-rewards.js';

const TOOLS_SHOWN = 12;

/** `traj stats` for a person. */
export function statsLines(report: StatsReport, { style, columns }: Look): string[] {
  const width = Math.max(60, Math.min(columns, 100)) - 2;
  if (report.rows === 0) return ['No trajectories.'];
  const sections = [
    headLines(report, style),
    toolLines(report, style, width),
    ...rewardLines(report.rewards, style, width),
  ];
  const filled = sections.filter((lines) => lines.length > 0);
  return filled.flatMap((lines) => ['', ...lines.map((line) => (line === '' ? '' : `  ${line}`))]);
}

function headLines(report: StatsReport, style: Style): string[] {
  const { rows, completed, compressed, turns, tokens, reasoning, toolSuccess } = report;
  const label = (text: string): string => style('dim', text.padEnd(12));
  const answers = `${count(tokens.answersTotal)} in answers (${span(tokens.answers)} a row)`;
  const prompts = tokens.promptsTotal === 0 ? '' : ` · ${count(tokens.promptsTotal)} in prompts`;
  const estimated = rows - tokens.countedRows;
  const note =
    estimated === 0 ? '' : ` · ${estimated === rows ? 'estimated' : `${estimated} rows estimated`}`;
  const stops = Object.entries(report.stopReasons).map(([reason, n]) => `${reason} ${n}`);
  return [
    `${label('rows')}${rows} · ${completed} completed${compressed === 0 ? '' : ` · ${compressed} compressed`}`,
    `${label('ended')}${escapeTerminalLine(stops.join(' · '))}`,
    `${label('turns')}${span(turns)}`,
    `${label('tokens')}${answers}${prompts}${note}`,
    `${label('reasoning')}${percent(reasoning.share)} of ${reasoning.answers} answers · ${reasoning.rowsWithAny} rows with any, ${reasoning.rowsWithAll} in every answer`,
    `${label('tools')}${percent(toolSuccess)} of the calls succeeded`,
  ];
}

/** `4.2 (1 – 12)`: mean, least and greatest. */
export function span({ mean, min, max }: Moments, digits = 1): string {
  if (mean === null || min === null || max === null) return UNKNOWN;
  const whole = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(digits));
  return min === max ? whole(mean) : `${mean.toFixed(digits)} (${whole(min)} – ${whole(max)})`;
}

function toolLines({ tools }: StatsReport, style: Style, width: number): string[] {
  if (tools.length === 0) return [];
  const layout = [
    { title: 'tool', flexible: true },
    { title: 'calls', align: 'right' as const },
    { title: 'success', align: 'right' as const },
    { title: 'failure', align: 'right' as const },
    { title: 'unknown', align: 'right' as const },
  ];
  const rows = tools
    .slice(0, TOOLS_SHOWN)
    .map(({ name, calls, success, failure, unknown }): Cell[] => [
      name,
      ...[calls, success, failure, unknown].map(String),
    ]);
  const rest = tools.length - rows.length;
  const more = rest > 0 ? [style('dim', `… and ${rest} more tools (--json has all)`)] : [];
  return [...renderTable(layout, rows, width, style), ...more];
}
