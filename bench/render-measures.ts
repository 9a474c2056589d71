import { plainStyle } from '../src/report/style.js';
import { renderTable } from '../src/report/table.js';
import { isMet, type Measure } from './measure.js';

const WIDTH = 160;

/** The table of a bench: a line per number, its target and whether it was met. */
export function renderMeasures(measures: readonly Measure[]): string[] {
  const columns = [
    { title: 'measure' },
    { title: 'value', align: 'right' as const },
    { title: 'target', align: 'right' as const },
    { title: '' },
    { title: 'how', flexible: true },
  ];
  const rows = measures.map((measure) => [
    measure.name,
    `${digits(measure.value)} ${measure.unit}`,
    measure.target === null
      ? ''
      : `${measure.target.kind === 'at most' ? '≤' : '≥'} ${measure.target.value} ${measure.unit}`,
    { true: 'met', false: 'missed', null: '' }[String(isMet(measure))] ?? '',
    measure.note,
  ]);
  return renderTable(columns, rows, WIDTH, plainStyle);
}

function digits(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
