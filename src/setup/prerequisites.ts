import { checkDisk, checkNode, checkStateFolder } from './machine-checks.js';
import type { PrerequisiteOptions, PrerequisiteReport } from './prerequisite-report.js';
import { checkBaseImage, checkBubblewrap, checkEngine } from './sandbox-checks.js';
import { checkTemporalProgram, checkTemporalServer } from './temporal-checks.js';

/** Everything a run needs from this machine. Looks only: starts, installs and makes nothing. */
export async function checkPrerequisites(options: PrerequisiteOptions): Promise<PrerequisiteReport[]> {
  const [program, server, engine, bubblewrap, baseImage, stateFolder, disk] = await Promise.all([
    checkTemporalProgram(options),
    checkTemporalServer(options),
    checkEngine(),
    checkBubblewrap(),
    checkBaseImage(),
    checkStateFolder(options.stateDir),
    checkDisk(options.stateDir),
  ]);
  return [checkNode(), program, server, ...eitherSandbox(engine, bubblewrap), baseImage, stateFolder, disk];
}

/** One kind of sandbox is enough to run, so the lack of the other is only worth a warning. */
function eitherSandbox(engine: PrerequisiteReport, bubblewrap: PrerequisiteReport): PrerequisiteReport[] {
  const reports = [engine, bubblewrap];
  if (reports.every((report) => report.status === 'missing')) return reports;
  return reports.map((report) => (report.status === 'missing' ? { ...report, status: 'warning' } : report));
}
