import type { Settings } from '../../../config/settings.schema.js';
import { readUploadKey } from '../../../config/upload-key.js';
import { badInput, LongrunError } from '../../../core/errors.js';
import { redact } from '../../../core/text/redact.js';
import { SECOND_MS } from '../../../core/time.js';
import { catchInterrupts } from '../../../launch/interrupts.js';
import { duration } from '../../../report/quantities.js';
import {
  checkEndpoint,
  type ParkedRow,
  uploadEpisodes,
  uploadLedgerFile,
} from '../../../sinks/upload/index.js';
import { type CliIo, EXIT } from '../../cli-io.js';
import { type CommandContext, settingsContext } from '../../command-context.js';
import { printJson, printLines } from '../../print.js';
import { wholeNumber } from '../../whole-number.js';
import { type CommandInputs, commandInputs } from '../traj-inputs.js';
import type { InputOptions } from '../traj-options.js';
import { inputNames } from '../traj-options.js';
import { renderUpload, uploadDocument } from './render.js';

export interface UploadFlags extends InputOptions {
  endpoint?: string;
  apiKey?: string;
  apiKeyEnv?: string;
  batchSize?: string;
  batchBytes?: string;
  gzip: boolean;
  insecure?: boolean;
  dryRun?: boolean;
  retryParked?: boolean;
  maxWait?: string;
}

/** Refused rows and waits that a person is told of; the rest are counted. */
const SHOWN = 5;

/** `longrun traj upload`: sends, and says what became of the rows. */
export async function uploadLine(
  positionals: readonly string[],
  flags: UploadFlags,
  io: CliIo,
): Promise<void> {
  hideCommandLine(flags, io);
  const { json, stateDir, store, logLevel } = flags;
  const given = Object.entries({ json, stateDir, store, logLevel }).filter(
    ([, value]) => value !== undefined,
  );
  const context = await settingsContext(Object.fromEntries(given), io);
  const names = inputNames(positionals, flags);
  const { endpoint, apiKey } = await targetOf(flags, context.settings, io);
  checkEndpoint(endpoint, flags.insecure === true);
  if (flags.apiKey !== undefined)
    context.say(
      '--api-key stays in the history of the shell and is in the list of processes: --api-key-env names a variable instead.',
    );
  const sizes = sizesOf(flags);
  try {
    const inputs = await commandInputs(context, names, { strict: flags.strict === true });
    await upload({ flags, endpoint, apiKey, sizes, inputs, context });
  } catch (error) {
    throw withoutKey(error, apiKey);
  }
}

/** Once read, the key is taken out of the process's own command line, where every user of the machine could read it. */
function hideCommandLine({ apiKey }: UploadFlags, io: CliIo): void {
  if (apiKey !== undefined && io.stdout === process.stdout) process.title = 'longrun traj upload';
}

interface Work {
  flags: UploadFlags;
  endpoint: string;
  apiKey: string | null;
  sizes: ReturnType<typeof sizesOf>;
  inputs: CommandInputs;
  context: CommandContext;
}

async function upload({ flags, endpoint, apiKey, sizes, inputs, context }: Work): Promise<void> {
  const { io } = context;
  const parked: ParkedRow[] = [];
  const interrupts = catchInterrupts(() => process.exit(EXIT.interrupted));
  const report = await uploadEpisodes({
    ...{ endpoint, apiKey, env: io.env, gzip: flags.gzip, ...sizes },
    episodes: inputs.inputs.read(),
    ledgerFile: uploadLedgerFile(context.stateDir, endpoint),
    signal: interrupts.signal,
    insecure: flags.insecure === true,
    dryRun: flags.dryRun === true,
    retryParked: flags.retryParked === true,
    now: io.now,
    onRow: () => inputs.progress.step('trajectories read'),
    onParked: (row) => {
      parked.push(row);
      if (parked.length <= SHOWN) inputs.progress.say(`refused: ${row.sessionId}: ${row.reason}`);
    },
    onWait: (ms, reason) => {
      if (ms >= SECOND_MS) inputs.progress.say(`waiting ${duration(ms)}: ${reason}`);
    },
  }).finally(() => interrupts.release());
  inputs.done();
  const done = { report, parked, endpoint, broken: inputs.rejected(), dryRun: flags.dryRun === true };
  if (context.json) printJson(io, uploadDocument(done));
  else printLines(io, renderUpload(done));
  if (report.parked > 0) io.exitCode = EXIT.error;
}

function sizesOf(flags: UploadFlags): { batchRows?: number; batchBytes?: number; maxWaitMs?: number } {
  const { batchSize, batchBytes, maxWait } = flags;
  return {
    ...(batchSize !== undefined && { batchRows: wholeNumber('--batch-size', batchSize) }),
    ...(batchBytes !== undefined && { batchBytes: wholeNumber('--batch-bytes', batchBytes) }),
    ...(maxWait !== undefined && { maxWaitMs: wholeNumber('--max-wait', maxWait, 0) * SECOND_MS }),
  };
}

/** The endpoint with its key: that of the settings is for their endpoint, and given to no other. */
async function targetOf(
  flags: UploadFlags,
  { trajectory }: Settings,
  io: CliIo,
): Promise<{ endpoint: string; apiKey: string | null }> {
  const endpoint = flags.endpoint ?? trajectory.uploadEndpoint;
  if (endpoint === null)
    throw badInput(
      '--endpoint is not given.',
      'Name an address, or set trajectory.upload_endpoint in longrun.yaml.',
    );
  const flagged = flaggedKey(flags, io);
  const known = endpoint === trajectory.uploadEndpoint;
  return {
    endpoint,
    apiKey: flagged ?? (known ? await readUploadKey(trajectory.uploadApiKey, io.env) : null),
  };
}

function flaggedKey({ apiKey, apiKeyEnv }: UploadFlags, io: CliIo): string | null {
  if (apiKey !== undefined && apiKeyEnv !== undefined)
    throw badInput('--api-key and --api-key-env are both given.', 'Give one of them.');
  if (apiKey !== undefined) {
    if (apiKey.trim() !== '') return apiKey.trim();
    throw badInput('--api-key: found nothing, accepted: a key.', 'Is the variable in it set?');
  }
  if (apiKeyEnv === undefined) return null;
  const key = io.env[apiKeyEnv]?.trim() ?? '';
  if (key !== '') return key;
  throw badInput(`--api-key-env: ${apiKeyEnv} is not set.`, `Set ${apiKeyEnv} to the key of the endpoint.`);
}

/** Whatever an error quotes, the key is not in it. */
function withoutKey(error: unknown, apiKey: string | null): unknown {
  if (apiKey === null || !LongrunError.is(error)) return error;
  const message = redact(error.message, [apiKey]);
  if (message === error.message) return error;
  const { code, hint, retryable, exitCode } = error;
  return new LongrunError(code, message, { retryable, exitCode, ...(hint === undefined ? {} : { hint }) });
}
