import { openReplayFor } from '../../launch/replay/open-replay.js';
import { type ReplayReport, replayReportSchema } from '../../replay/report-replay.js';
import { toWire } from '../../store/wire/wire.js';
import type { CommandContext } from '../command-context.js';
import { packageVersion } from '../package-version.js';
import { printJson } from '../print.js';
import { announce, followToEnd, printReport } from './attend-replay.js';

/** Reruns the chosen rollouts, one run after the other. */
export async function retryRuns(
  context: CommandContext,
  chosen: ReadonlyMap<string, string[]>,
): Promise<void> {
  const { io, json, stateDir } = context;
  const reports: ReplayReport[] = [];
  for (const [runId, rollouts] of chosen) {
    const request = {
      mode: 'rerun' as const,
      failed: true,
      stopReasons: [],
      tasks: [],
      rollouts,
      includeSealed: false,
      fromTurn: null,
      times: 1,
    };
    const longrunVersion = packageVersion();
    const opened = await openReplayFor({
      stateDir,
      env: io.env,
      runId,
      request,
      longrunVersion,
      now: io.now,
    });
    announce(context, opened);
    const report = await followToEnd(context, opened.run, opened.replay);
    if (report === null) return;
    reports.push(report);
    if (!json) printReport(context, report);
  }
  if (json) printJson(io, { replays: reports.map((report) => toWire(replayReportSchema, report)) });
}
