import type { RunDocument } from '../records/summary.js';
import { escapeTerminalLine } from './escape-terminal.js';
import { count, duration, percent } from './quantities.js';
import type { Style } from './style.js';

/** How the endpoint of an open run stands: what it bears, what is asked of it, what it refuses. */
export function endpointLines({ endpoint }: RunDocument, style: Style): string[] {
  if (endpoint === undefined) return [];
  const { baseUrl, at, downSince, coolingDownUntil, refusedShare } = endpoint;
  const label = (text: string): string => style('dim', text.padEnd(9));
  const { inFlight, waiting, concurrency, processes } = endpoint;
  const lines = [
    `${label('endpoint')} ${escapeTerminalLine(baseUrl)}`,
    `${label('')} ${inFlight} calls in flight of ${concurrency} at once, ${waiting} waiting · ${processes === 1 ? '1 worker' : `${processes} workers`}`,
    `${label('')} ${rate(endpoint.requestsLastMinute, endpoint.requestsPerMinute)} requests/min · ${rate(endpoint.tokensLastMinute, endpoint.tokensPerMinute)} tokens/min`,
    `${label('')} ${percent(refusedShare)} of answers refused (429)`,
  ];
  if (downSince !== null)
    lines.push(
      style('red', `${''.padEnd(9)} down for ${duration(at - downSince)}: it is tried by one call at a time`),
    );
  else if (coolingDownUntil !== null && coolingDownUntil > at)
    lines.push(style('yellow', `${''.padEnd(9)} asked to wait: ${duration(coolingDownUntil - at)} left`));
  return lines;
}

function rate(used: number, limit: number | null): string {
  return limit === null ? count(used) : `${count(used)} of ${count(Math.round(limit))}`;
}
