import { escapeTerminalLine } from '../../../report/escape-terminal.js';
import { percent, reward, UNKNOWN } from '../../../report/quantities.js';
import type { Style } from '../../../report/style.js';
import { type Cell, painted, renderTable } from '../../../report/table.js';
import type { RewardStats } from '../../../trajectories/stats/stats-report.schema.js';
import { bar } from './reward-bar.js';

const number = (title: string) => ({ title, align: 'right' as const });
const decimals = (value: number | null): string => (value === null ? UNKNOWN : value.toFixed(2));

/** What `traj stats` says of rewards, section by section. */
export function rewardLines(stats: RewardStats, style: Style, width: number): string[][] {
  return [
    headLines(stats, style),
    histogramLines(stats, style, width),
    sourceLines(stats, style, width),
    correlationLines(stats, style, width),
    compositeLines(stats, style, width),
    stats.warnings.map((warning) => style('yellow', escapeTerminalLine(`! ${warning}`))),
  ];
}

function headLines({ effective, missing, shape, order, groups }: RewardStats, style: Style): string[] {
  const label = (text: string): string => style('dim', text.padEnd(12));
  const values = `mean ${reward(effective.mean)} · sd ${reward(effective.sd)} · from ${reward(effective.min)} to ${reward(effective.max)}`;
  const head =
    effective.count === 0 ? 'none' : `${shape} · ${values} · ${effective.count} rows, ${missing} without`;
  const lines = [`${label('reward')}${head}`, `${label('')}${style('dim', `counts: ${order.join(' > ')}`)}`];
  if (groups.compared > 0)
    lines.push(
      `${label('groups')}${groups.compared} with a baseline · ${groups.zeroVariance} without variance (${percent(groups.share)})${groups.alone === 0 ? '' : ` · ${groups.alone} too small`}`,
    );
  return lines;
}

function histogramLines({ histogram, effective }: RewardStats, style: Style, width: number): string[] {
  if (histogram.length === 0) return [];
  const most = Math.max(...histogram.map(({ count }) => count));
  const total = histogram.reduce((sum, { count }) => sum + count, 0);
  const rows = histogram.map(({ from, to, count }): Cell[] => [
    // All of the last bin may be its least value: 1 is plainer than 1 – 1.1.
    from === effective.max ? String(from) : `${from} – ${to}`,
    bar(count / most, style),
    String(count),
    percent(count / total),
  ]);
  return renderTable([number('reward'), { title: '' }, number('rows'), number('share')], rows, width, style);
}

function sourceLines({ sources }: RewardStats, style: Style, width: number): string[] {
  if (sources.length < 2) return [];
  const rows = sources.map(({ source, quality, count, mean, sd }) => [
    source,
    quality,
    String(count),
    decimals(mean),
    decimals(sd),
  ]);
  const layout = [{ title: 'source' }, { title: 'quality' }, number('rows'), number('mean'), number('sd')];
  return renderTable(layout, rows, width, style);
}

function correlationLines({ correlations }: RewardStats, style: Style, width: number): string[] {
  if (correlations.length === 0) return [];
  const rows = correlations.map(({ signal, rows: n, withReward, withPass }) => [
    signal,
    String(n),
    decimals(withReward),
    decimals(withPass),
  ]);
  const layout = [
    { title: 'against the final test', flexible: true },
    number('rows'),
    number('r with reward'),
    number('r with pass'),
  ];
  return renderTable(layout, rows, width, style);
}

function compositeLines({ composite }: RewardStats, style: Style, width: number): string[] {
  if (composite === null) return [];
  const rows = composite.parts.map(({ name, weight, value, meanContribution, varianceShare }): Cell[] => [
    name,
    weight.min === weight.max ? String(weight.min) : `${weight.min} – ${weight.max}`,
    decimals(value.mean),
    decimals(meanContribution),
    painted(style, 'bold', percent(varianceShare)),
  ]);
  const layout = [
    { title: `parts of ${composite.rows} composite rewards`, flexible: true },
    number('weight'),
    number('mean'),
    number('contribution'),
    number('share of variance'),
  ];
  return renderTable(layout, rows, width, style);
}
