import { badInput } from '../../../core/errors.js';
import type { ImportFormatName } from '../../../formats/import-format.js';
import { exportEpisodes } from '../../../trajectories/export.js';
import { openOutput } from '../../../trajectories/files/output.js';
import { IMPORT_FORMATS } from '../../../trajectories/input-formats.js';
import { longrunFormat } from '../../../trajectories/longrun-format.js';
import { type CliIo, EXIT } from '../../cli-io.js';
import { commandContext } from '../../command-context.js';
import { printJson, printLines } from '../../print.js';
import { type ExportDone, exportDocument, nothingCame, renderExport } from '../export/render.js';
import { commandInputs } from '../traj-inputs.js';
import type { InputOptions, OutputFlags } from '../traj-options.js';
import { inputNames } from '../traj-options.js';
import { untilInterrupted } from '../until-interrupted.js';

export interface ImportFlags extends InputOptions, OutputFlags {
  format?: string;
}

/** `longrun traj import`: any format in, `longrun` rows out. */
export async function importLine(
  positionals: readonly string[],
  flags: ImportFlags,
  io: CliIo,
): Promise<void> {
  const context = await commandContext(flags, io);
  const names = inputNames(positionals, flags);
  const format = formatNamed(flags.format);
  const output = await openOutput(flags.output ?? 'trajectories.jsonl', { force: flags.force === true });
  try {
    const { inputs, progress, rejected, done } = await commandInputs(context, names, {
      strict: flags.strict === true,
      format,
      reject: (rejection) => output.reject(rejection),
    });
    const counts = await untilInterrupted((check) =>
      exportEpisodes(inputs, longrunFormat, output, {
        onEpisode: () => {
          check();
          progress.step('trajectories read');
        },
      }),
    );
    const files = await output.commit();
    done();
    const result: ExportDone = { format: 'longrun', counts, files, broken: rejected() };
    if (context.json) printJson(io, exportDocument(result));
    else printLines(io, renderExport(result));
    if (nothingCame(result)) io.exitCode = EXIT.error;
  } finally {
    await output.abandon();
  }
}

function formatNamed(name: string | undefined): ImportFormatName | null {
  if (name === undefined) return null;
  const found = IMPORT_FORMATS.find((format) => format.name === name);
  if (found) return found.name;
  throw badInput(
    `--format: found "${name}", accepted: ${IMPORT_FORMATS.map((format) => format.name).join(', ')}.`,
  );
}
