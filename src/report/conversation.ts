import { append } from '../core/lists/append.js';
import type { TimeStep, TrajectoryMessage } from '../core/trajectory/trajectory.schema.js';
import { argumentsObject } from '../formats/arguments-object.js';
import type { RolloutView } from '../records/read-rollout.js';
import type { AttemptRecord, OracleRun, Verdict } from '../store/records/records.schema.js';
import { boundLines } from './bounded-text.js';
import { displayWidth } from './display-width.js';
import { escapeTerminal, escapeTerminalLine } from './escape-terminal.js';
import { feedbackLines } from './feedback-lines.js';
import { dollars, duration, reward } from './quantities.js';
import { replayedLines } from './replayed-lines.js';
import { rolloutMark } from './rollout-mark.js';
import type { Style } from './style.js';

const RESULT_LINES = 20;
const MESSAGE_LINES = 60;

export interface TurnOptions {
  style: Style;
  columns: number;
  /** Shows messages and tool results whole. */
  full: boolean;
}

export interface ConversationOptions extends TurnOptions {
  passThreshold: number;
}

/** One rollout as a conversation to read: prompt, turns with their tool calls, or the solution's output; verdicts, how it ended. */
export function renderConversation(view: RolloutView, options: ConversationOptions): string[] {
  const lines = [...headLines(view, options), '', ...renderTurns(view.timesteps, options)];
  for (const run of view.oracle) append(lines, oracleLines(run, options));
  for (const verdict of view.verdicts) append(lines, verdictLines(verdict, options));
  return [...lines, ...endLines(view, options)];
}

/** The turns alone, of any trajectory. */
export function renderTurns(timesteps: readonly TimeStep[], options: TurnOptions): string[] {
  return timesteps.flatMap((step, turn) => turnLines(step, turn, options));
}

function headLines(view: RolloutView, { style, passThreshold }: ConversationOptions): string[] {
  const { result, attempts } = view;
  const name = style('bold', escapeTerminalLine(view.rolloutId));
  if (!result) return [name, view.attempt === null ? 'not started yet' : `open, attempt ${view.attempt}`];
  const mark = rolloutMark(result, passThreshold);
  const took = duration(result.timings.finishedAt - result.timings.startedAt);
  const outcome = `${style(mark.style, `${mark.sign} ${mark.meaning}`)} · reward ${reward(result.reward)}`;
  const facts = `${result.stopReason} · ${result.turns} turns · ${took} · ${dollars(result.costUsd)}`;
  const lines = [name, `${outcome} · ${facts}`];
  // Without replays the last attempt counts, which needs no saying.
  const counts = attempts.some(({ replay }) => replay !== null) ? result.attempt : null;
  if (attempts.length > 1 || view.attempt !== result.attempt) {
    lines.push(...attempts.map((attempt) => attemptLine(attempt, view.attempt, counts, style)));
  }
  return lines;
}

function attemptLine(
  { attempt, stopReason, failure, reward: score, replay }: AttemptRecord,
  shown: number | null,
  counts: number | null,
  style: Style,
): string {
  const why = failure ? `: ${escapeTerminalLine(failure.message)}` : '';
  const scored = score === null || counts === null ? '' : ` · reward ${reward(score)}`;
  const notes = [
    replay === null ? null : `${replay.mode} of attempt ${replay.source.attempt}, replay ${replay.replayId}`,
    attempt === counts ? 'counts' : replay === null ? null : 'does not count',
    attempt === shown ? 'shown' : null,
  ].filter((note) => note !== null);
  const line = `attempt ${attempt}  ${stopReason}${scored}${why}${notes.length === 0 ? '' : `  (${notes.join(', ')})`}`;
  return attempt === shown ? line : style('dim', line);
}

function turnLines(step: TimeStep, turn: number, options: TurnOptions): string[] {
  const lines: string[] = [];
  for (const message of step.chats.flatMap((chat) => chat.messages)) {
    if (message.role === 'tool') {
      append(lines, resultLines(message, options));
      continue;
    }
    const title = message.role === 'assistant' ? `assistant · turn ${turn + 1}` : message.role;
    lines.push(rule(title, options));
    append(lines, messageLines(message, options));
  }
  return [...lines, ''];
}

function messageLines(message: Exclude<TrajectoryMessage, { role: 'tool' }>, options: TurnOptions): string[] {
  const { style } = options;
  const content = bounded(textOf(message.content), MESSAGE_LINES, options);
  if (message.role !== 'assistant') return message.role === 'system' ? dimmed(content, style) : content;
  const reasoning = message.reasoning ? bounded(message.reasoning, MESSAGE_LINES, options) : [];
  const calls = message.toolCalls.flatMap((call) => callLines(call.function, options));
  return [...dimmed(reasoning, style), ...(textOf(message.content) === '' ? [] : content), ...calls];
}

function callLines(call: { name: string; arguments: string }, options: TurnOptions): string[] {
  const name = options.style('cyan', `→ ${escapeTerminalLine(call.name)}`);
  const args = argumentsObject(call.arguments);
  if (args === null) return [`${name}  ${escapeTerminalLine(call.arguments)}`];
  const short: string[] = [];
  const blocks: string[] = [];
  for (const [key, value] of Object.entries(args)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (!text.includes('\n')) short.push(`${key}: ${text}`);
    else
      blocks.push(
        `    ${escapeTerminalLine(key)}:`,
        ...indented(bounded(text, RESULT_LINES, options), '      '),
      );
  }
  return [`${name}  ${escapeTerminalLine(short.join('  '))}`.trimEnd(), ...blocks];
}

function resultLines(message: TrajectoryMessage, options: TurnOptions): string[] {
  const bar = options.style('dim', '  │ ');
  return indented(bounded(textOf(message.content), RESULT_LINES, options), bar);
}

function oracleLines(run: OracleRun, options: TurnOptions): string[] {
  const status = run.exitCode === null ? 'no exit code' : `exit code ${run.exitCode}`;
  const title = `oracle · ${escapeTerminalLine(run.step)} · ${status} · ${duration(run.durationMs)}`;
  const output = run.output === '' ? [] : bounded(run.output, RESULT_LINES, options);
  return [rule(title, options), ...output, ''];
}

function verdictLines(verdict: Verdict, options: TurnOptions): string[] {
  const { style } = options;
  const rewards = Object.entries(verdict.rewards).map(
    ([name, value]) => `${escapeTerminalLine(name)} ${value}`,
  );
  const lines = [
    rule(`verifier · ${escapeTerminalLine(verdict.step)} · ${verdict.isolation}`, options),
    ...dimmed(bounded(verdict.testOutput, RESULT_LINES, options), style),
    style('bold', verdict.reward === null ? 'no reward' : `reward ${verdict.reward}`) +
      (rewards.length > 1 ? `  (${rewards.join(', ')})` : ''),
  ];
  if (verdict.failure) lines.push(style('yellow', escapeTerminalLine(verdict.failure.message)));
  const touched = verdict.suspectedTampering.map(escapeTerminalLine).join(', ');
  if (touched !== '')
    lines.push(style('yellow', `the agent changed what verification depends on: ${touched}`));
  if (verdict.trusted !== null && verdict.trusted.length > 0) {
    const what = verdict.trusted.join(' and ');
    lines.push(
      style('dim', `the tests relied on ${what} that the agent had power over (--verify separate does not)`),
    );
  }
  return [...lines, ''];
}

function endLines(view: RolloutView, options: TurnOptions): string[] {
  const { result } = view;
  const replay = view.attempts.find(({ attempt }) => attempt === view.attempt)?.replay ?? null;
  const again = replay === null ? [] : replayedLines(replay);
  if (!result) return [rule('still open', options), ...again];
  const failure = result.failure;
  return [
    rule(`ended: ${result.stopReason}`, options),
    ...(failure ? [options.style('yellow', escapeTerminalLine(`${failure.code}: ${failure.message}`))] : []),
    ...(failure?.hint ? [escapeTerminalLine(failure.hint)] : []),
    ...again,
    ...feedbackLines(view.feedback, options.style),
  ];
}

/** A heading across the page. */
export function rule(title: string, { style, columns }: TurnOptions): string {
  const width = Math.min(columns, 100) - displayWidth(title) - 4;
  return style('dim', '── ') + style('bold', title) + style('dim', ` ${'─'.repeat(Math.max(2, width))}`);
}

function bounded(text: string, maxLines: number, options: TurnOptions): string[] {
  const lines = escapeTerminal(text).trimEnd().split('\n');
  return options.full ? lines : boundLines(lines, maxLines);
}

function textOf(content: TrajectoryMessage['content']): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}

const indented = (lines: readonly string[], by: string): string[] => lines.map((line) => by + line);
const dimmed = (lines: readonly string[], style: Style): string[] =>
  lines.map((line) => (line === '' ? '' : style('dim', line)));
