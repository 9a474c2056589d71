import { totalTokens } from '../core/rollout/usage.js';
import type { Estimate, RunDocument } from '../records/summary.js';
import { escapeTerminalLine } from './escape-terminal.js';
import { laterChangeLines } from './later-changes.js';
import { pauseAdvice, pauseNote } from './pause-text.js';
import { count, dollars, duration, percent, reward, UNKNOWN } from './quantities.js';
import { endpointLines } from './scoreboard-endpoint.js';
import { failureLines, lookCloserLines } from './scoreboard-failures.js';
import { taskLines } from './scoreboard-tasks.js';
import { serveLines } from './serve-lines.js';
import type { Style } from './style.js';
import { type Cell, type Column, painted, renderTable } from './table.js';

const BAR_COLUMNS = 20;
/** More estimates than this say no more: the first few, then each doubling and the last. */
const PASS_AT_LINES = 5;

export interface ScoreboardOptions {
  style: Style;
  /** Columns of the terminal; 80 where there is none. */
  columns: number;
}

/** The end-of-run report as lines of text, most important first. */
export function renderScoreboard(document: RunDocument, options: ScoreboardOptions): string[] {
  const { style } = options;
  const columns = Math.max(60, Math.min(options.columns, 100)) - 2;
  const sections = [
    titleLines(document, style),
    scoreLines(document, style, columns),
    categoryLines(document, style, columns),
    taskLines(document, style, columns),
    failureLines(document, style, columns),
    footLines(document, style),
    document.serving === undefined ? [] : serveLines(document.serving),
    endpointLines(document, style),
    laterChangeLines(document, style),
    lookCloserLines(document, style),
  ];
  const filled = sections.filter((lines) => lines.length > 0);
  return filled.flatMap((lines) => ['', ...lines.map((line) => (line === '' ? '' : `  ${line}`))]);
}

function titleLines({ run, summary }: RunDocument, style: Style): string[] {
  const { agent, model, sandbox } = run.config;
  const parts = [
    agent === 'tool-calling' ? (model ?? 'no model') : null,
    `agent ${agent}`,
    `sandbox ${sandbox}`,
  ];
  const title = [
    style('bold', escapeTerminalLine(run.environment.name)),
    ...parts.filter((part) => part !== null),
  ];
  const lines = [title.map((part, i) => (i === 0 ? part : escapeTerminalLine(part))).join(' · ')];
  const note = pauseNote(run.pauseReason, run.config, run.pauseDetail);
  lines.push(style('dim', `run ${run.runId}${run.mode === 'serve' ? ' · serve' : ''} · ${run.status}`));
  if (note !== null && run.pauseReason !== null) {
    const advice = pauseAdvice(run.runId, run.pauseReason, run.config);
    lines.push(style('yellow', escapeTerminalLine(`paused: ${note}; ${advice}`)));
  }
  if (summary.scripted) {
    lines.push(style('yellow', 'scripted model: a script plays back, so these scores rate no real model'));
  }
  return lines;
}

function scoreLines({ run, summary }: RunDocument, style: Style, columns: number): string[] {
  const layout: Column[] = [
    { title: '' },
    { title: 'estimate', align: 'right' },
    { title: '95 % interval', align: 'right' },
    { title: '' },
  ];
  const rows = shownKs(summary.passAt).map(([k, found]) => passAtRow(k, found, style));
  const lines = renderTable(layout, rows, columns, style);
  const leftOut = Object.entries(summary.passAt).findLast(([, found]) => found.tasksLeftOut > 0);
  if (leftOut) {
    const [k, { tasksLeftOut }] = leftOut;
    const tasks = tasksLeftOut === 1 ? '1 task has' : `${tasksLeftOut} tasks have`;
    lines.push(
      style(
        'dim',
        `${tasks} fewer than ${k} scored samples and ${tasksLeftOut === 1 ? 'is' : 'are'} left out of pass@${k}`,
      ),
    );
  }
  lines.push('', `mean reward  ${style('bold', reward(summary.meanReward))} over ${summary.nScored} scored`);
  if (summary.nInfrastructure > 0) {
    lines.push(
      `             ${reward(summary.meanRewardWithFailures)} with infrastructure failures as misses`,
    );
  }
  if (run.config.passThreshold !== 1)
    lines.push(style('dim', `passed means reward ≥ ${run.config.passThreshold}`));
  return lines;
}

function passAtRow(k: string, found: Estimate, style: Style): Cell[] {
  const interval = found.interval
    ? `${points(found.interval.low)} – ${points(found.interval.high)} %`
    : UNKNOWN;
  return [`pass@${k}`, painted(style, 'bold', percent(found.estimate)), interval, bar(found.estimate, style)];
}

const points = (share: number): string => (share * 100).toFixed(1);

function bar(share: number | null, style: Style): Cell {
  if (share === null) return '';
  const full = Math.round(share * BAR_COLUMNS);
  const text = '━'.repeat(BAR_COLUMNS);
  return {
    text,
    paint: (cut) => style('green', cut.slice(0, full)) + style('dim', '·'.repeat(cut.length - full)),
  };
}

function shownKs(passAt: Record<string, Estimate>): [string, Estimate][] {
  const all = Object.entries(passAt);
  if (all.length <= PASS_AT_LINES) return all;
  const isDoubling = (k: number): boolean => Number.isInteger(Math.log2(k));
  return all.filter(([k], i) => isDoubling(Number(k)) || i === all.length - 1);
}

function categoryLines({ summary }: RunDocument, style: Style, columns: number): string[] {
  if (summary.categories.length < 2) return [];
  const layout: Column[] = [
    { title: 'category', flexible: true },
    { title: 'tasks', align: 'right' },
    { title: 'scored', align: 'right' },
    { title: 'pass@1', align: 'right' },
    { title: 'mean reward', align: 'right' },
  ];
  const rows = summary.categories.map((found) => [
    found.category,
    String(found.tasks),
    String(found.nScored),
    percent(found.passAt1),
    reward(found.meanReward),
  ]);
  return renderTable(layout, rows, columns, style);
}

function footLines({ run, summary, rollouts }: RunDocument, style: Style): string[] {
  const open = summary.nOpen > 0 ? `, ${summary.nOpen} open` : '';
  const turns = rollouts.reduce((sum, result) => sum + result.turns, 0);
  const label = (text: string): string => style('dim', text.padEnd(9));
  const { usage } = summary;
  const cached = usage.cachedTokens > 0 ? `, ${count(usage.cachedTokens)} of them cached` : '';
  const tokens = `${count(totalTokens(usage))} (${count(usage.promptTokens)} prompt${cached}, ${count(usage.completionTokens)} completion)`;
  const lines = [
    `${label('rollouts')} ${summary.nRollouts - summary.nOpen} of ${summary.nRollouts} done${open} · ${count(turns)} turns${elapsed(rollouts)}`,
    ...verifiedLines(rollouts, label),
    `${label('tokens')} ${tokens}`,
    `${label('cost')} ${dollars(summary.costUsd)}`,
    `${label('results')} ${escapeTerminalLine(run.location)}`,
  ];
  if (summary.suspectedTampering > 0) {
    const which = summary.suspectedTampering === 1 ? '1 rollout' : `${summary.suspectedTampering} rollouts`;
    lines.push(style('yellow', `${which} changed files that verification depends on: check before trusting`));
  }
  const bendable = rollouts.filter(({ trusted }) => (trusted?.length ?? 0) > 0).length;
  if (bendable > 0) {
    const which = bendable === 1 ? '1 rollout was' : `${bendable} rollouts were`;
    lines.push(
      style(
        'dim',
        `${which} scored where the agent had power over the tests: --verify separate keeps them apart`,
      ),
    );
  }
  return lines;
}

/** At which isolation levels the tests ran. */
function verifiedLines(rollouts: RunDocument['rollouts'], label: (text: string) => string): string[] {
  const levels = new Set(rollouts.flatMap(({ isolation }) => isolation ?? []));
  return levels.size === 0 ? [] : [`${label('verified')} ${[...levels].sort().join(', ')}`];
}

/** From the first start to the last end; a run that was interrupted in between took less. */
function elapsed(rollouts: RunDocument['rollouts']): string {
  if (rollouts.length === 0) return '';
  let [start, end] = [Number.POSITIVE_INFINITY, 0];
  for (const { timings } of rollouts) {
    start = Math.min(start, timings.startedAt);
    end = Math.max(end, timings.finishedAt);
  }
  return ` · ${duration(Math.max(0, end - start))}`;
}
