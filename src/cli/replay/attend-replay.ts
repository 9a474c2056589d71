import { catchInterrupts } from '../../launch/interrupts.js';
import { type OpenedReplay, openReplayFor } from '../../launch/replay/open-replay.js';
import { attendFork, attendReplay } from '../../launch/replay/replay-run.js';
import { type ReplayReport, replayReportSchema } from '../../replay/report-replay.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import type { ReplayRecord, ReplayRequest } from '../../store/records/replay.schema.js';
import { toWire } from '../../store/wire/wire.js';
import { EXIT } from '../cli-io.js';
import type { CommandContext } from '../command-context.js';
import { lookOf } from '../look.js';
import { packageVersion } from '../package-version.js';
import { printJson, printLines } from '../print.js';
import { RunReporter } from '../run-reporter.js';
import { endedLine, leftOutLines, reportLines } from './replay-lines.js';

/** `longrun replay`: makes the attempts, says what they come to, decides the exit code. */
export async function replayCommandLine(
  context: CommandContext,
  runId: string,
  request: ReplayRequest,
): Promise<void> {
  const { io, stateDir } = context;
  const longrunVersion = packageVersion();
  const opened = await openReplayFor({ stateDir, env: io.env, runId, request, longrunVersion, now: io.now });
  announce(context, opened);
  if (opened.replay.forkRunId !== null) return await followFork(context, opened.replay, longrunVersion);
  const report = await followToEnd(context, opened.run, opened.replay);
  if (report === null) return;
  if (context.json) printJson(io, toWire(replayReportSchema, report));
  else printReport(context, report);
}

/** What is going to happen, before anything does. */
export function announce(
  { say }: CommandContext,
  { replay, leftOut, closedGroups, created }: OpenedReplay,
): void {
  for (const line of leftOutLines(leftOut)) say(line);
  const { replayId, request, members, forkRunId } = replay;
  if (!created) say(`Replay ${replayId} is open already: carrying it on.`);
  else if (forkRunId === null) say(`Replay ${replayId}: ${counted(members.length)} (${request.mode}).`);
  else say(`Fork ${replayId}: ${members.length} continuations, as run ${forkRunId}.`);
  if (closedGroups > 0)
    say(
      `${closedGroups === 1 ? 'A group' : `${closedGroups} groups`} of these rollouts closed before: what comes of them now changes no advantages.`,
    );
}

const counted = (members: number): string => (members === 1 ? '1 new attempt' : `${members} new attempts`);

/** Follows a replay with Ctrl-C caught: once leaves in order (answers null), twice leaves now. Decides the exit code. */
export async function followToEnd(
  context: CommandContext,
  run: RunRecord,
  replay: ReplayRecord,
): Promise<ReplayReport | null> {
  const { io, say, stateDir, log } = context;
  const interrupts = catchInterrupts(() => process.exit(EXIT.interrupted));
  const { passThreshold } = run.config;
  try {
    const { end, report } = await attendReplay(
      {
        stateDir,
        env: io.env,
        logger: log,
        signal: interrupts.signal,
        say,
        note: (text) => (text === null ? undefined : say(text)),
        onEnded: (result, done, total) => say(endedLine(result, done, total, passThreshold)),
      },
      run,
      replay,
    );
    if (end === 'interrupted') return leave(context, replay);
    judge(context, end, report);
    return report;
  } finally {
    interrupts.release();
  }
}

function leave({ io, json, say }: CommandContext, { runId, replayId }: ReplayRecord): null {
  io.exitCode = EXIT.interrupted;
  if (json) printJson(io, { replay: { replay_id: replayId, run_id: runId, status: 'paused' } });
  say(
    `Replay ${replayId} is paused; everything finished is kept. Carry it on with:\n  longrun runs resume ${runId}`,
  );
  return null;
}

export function printReport({ io }: CommandContext, report: ReplayReport): void {
  const { style, columns } = lookOf(io);
  printLines(io, reportLines(report, style, columns));
}

function judge(
  { io, say }: CommandContext,
  end: 'finished' | 'cancelled' | 'failed',
  report: ReplayReport,
): void {
  if (end !== 'finished') {
    io.exitCode = EXIT.error;
    say(
      end === 'cancelled' ? 'The replay was cancelled.' : 'The replay did not finish: its workflow failed.',
    );
    return;
  }
  if (report.rollouts.some(({ result }) => result !== null && result.reward !== null)) return;
  io.exitCode = EXIT.error;
  say('Nothing was scored.');
}

/** What a fork makes is a run: it is followed and reported as one. */
async function followFork(
  context: CommandContext,
  replay: ReplayRecord,
  longrunVersion: string,
): Promise<void> {
  const { io, stateDir } = context;
  const reporter = new RunReporter(context, { failUnder: null, output: null, runId: replay.forkRunId });
  await reporter.attend((hooks) =>
    attendFork(
      { ...hooks, stateDir, env: io.env, onReady: (run) => reporter.open(run) },
      replay,
      longrunVersion,
    ),
  );
}
