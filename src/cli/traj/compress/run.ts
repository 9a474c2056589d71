import { resolve } from 'node:path';
import { badInput, LongrunError } from '../../../core/errors.js';
import { catchInterrupts, type Interrupts } from '../../../launch/interrupts.js';
import { checkModel, estimateTokens, isScripted, ModelRegistry } from '../../../model/index.js';
import {
  type CompressReport,
  compressEpisodes,
  ORIGINALS_FILE,
} from '../../../trajectories/compress/compress-episodes.js';
import type { CountTokens } from '../../../trajectories/compress/count-tokens.js';
import { extractiveSummariser } from '../../../trajectories/compress/extractive.js';
import { modelSummariser, type PaidSummary } from '../../../trajectories/compress/model-summariser.js';
import type { Summariser } from '../../../trajectories/compress/summariser.js';
import { Ledger } from '../../../trajectories/files/ledger.js';
import { openOutput, type RowOutput } from '../../../trajectories/files/output.js';
import { type CliIo, EXIT } from '../../cli-io.js';
import { type CommandContext, commandContext } from '../../command-context.js';
import { lockOutput } from '../../output-lock.js';
import { printJson, printLines } from '../../print.js';
import { wholeNumber } from '../../whole-number.js';
import { commandInputs } from '../traj-inputs.js';
import type { InputOptions, OutputFlags } from '../traj-options.js';
import { inputNames } from '../traj-options.js';
import { compressDocument, renderCompress } from './render.js';

export interface CompressFlags extends InputOptions, OutputFlags {
  targetTokens: string;
  summaryTokens?: string;
  model?: string;
  baseUrl?: string;
  apiKeyEnv?: string;
  tokenizer?: string;
  concurrency?: string;
  keepOriginals?: boolean;
}

const SUMMARY_TOKENS = 750;
const CONCURRENCY = 8;
/** Less does not even hold a task. */
const LEAST_TARGET = 100;
const LEDGER = '.ledger.jsonl';

/** Who writes summaries, and what those cost that were paid for now. */
interface Writer {
  summariser: Summariser;
  paid: PaidSummary[];
  close(): Promise<void>;
}

/** `longrun traj compress`: writes every row, and says what became of them. */
export async function compressLine(
  positionals: readonly string[],
  flags: CompressFlags,
  io: CliIo,
): Promise<void> {
  const context = await commandContext(flags, io);
  const names = inputNames(positionals, flags);
  const path = flags.output ?? 'compressed.jsonl';
  // Two at once would both pay for the same summaries.
  const lock = lockOutput(context.stateDir, resolve(path));
  try {
    await compress(context, names, path, flags);
  } finally {
    lock.release();
  }
}

async function compress(
  context: CommandContext,
  names: readonly string[],
  path: string,
  flags: CompressFlags,
): Promise<void> {
  const { io } = context;
  const sizes = sizesOf(flags);
  const count = await counter(flags.tokenizer);
  const output = await openOutput(path, {
    force: flags.force === true,
    siblings: [ORIGINALS_FILE],
  });
  const interrupts = catchInterrupts(() => process.exit(EXIT.interrupted));
  const writer = await openWriter(flags, { io, output, count, interrupts });
  try {
    const { inputs, rejected, progress, done } = await commandInputs(context, names, {
      strict: flags.strict === true,
      reject: (rejection) => output.reject(rejection),
    });
    const report = await compressEpisodes(inputs, output, {
      ...{ ...sizes, count, summariser: writer.summariser, keepOriginals: flags.keepOriginals === true },
      onEpisode: () => {
        interrupts.signal.throwIfAborted();
        progress.step('trajectories compressed');
      },
    }).catch((error) => {
      throw interrupts.signal.aborted ? interrupted(writer.summariser.kind) : error;
    });
    const files = await output.commit();
    done();
    const result = { report, files, output: output.path, broken: rejected(), paid: writer.paid };
    if (context.json) printJson(io, compressDocument(result));
    else printLines(io, renderCompress(result));
    if (nothingWorked(report)) io.exitCode = EXIT.error;
  } finally {
    interrupts.release();
    await output.abandon();
    await writer.close();
  }
}

function sizesOf(flags: CompressFlags) {
  const count = (flag: string, text: string | undefined, fallback: number): number =>
    text === undefined ? fallback : wholeNumber(flag, text);
  return {
    targetTokens: wholeNumber('--target-tokens', flags.targetTokens, LEAST_TARGET),
    summaryTokens: count('--summary-tokens', flags.summaryTokens, SUMMARY_TOKENS),
    concurrency: count('--concurrency', flags.concurrency, CONCURRENCY),
  };
}

async function counter(folder: string | undefined): Promise<CountTokens> {
  if (folder === undefined) return estimateTokens;
  const { openTokenizer } = await import('../../../model/tokenizer/open-tokenizer.js');
  const tokenizer = await openTokenizer(folder);
  return (text) => tokenizer.encode(text).length;
}

interface WriterParts {
  io: CliIo;
  output: RowOutput;
  count: CountTokens;
  interrupts: Interrupts;
}

/** The model is checked before anything is read. Throws `model_unknown`, `model_key_missing`, `model_unavailable`. */
async function openWriter(flags: CompressFlags, parts: WriterParts): Promise<Writer> {
  const { model } = flags;
  if (model === undefined) {
    if (flags.baseUrl !== undefined)
      throw badInput('--base-url is given without --model.', 'Name the model.');
    return { summariser: extractiveSummariser(parts.count), paid: [], close: async () => undefined };
  }
  if (isScripted(model))
    throw badInput(
      `--model: found "${model}", and scripted models play tasks: they write no summaries.`,
      'Without --model summaries are extracts.',
    );
  const { env } = parts.io;
  const config = {
    ...{ model, baseUrl: flags.baseUrl ?? null, apiKeyEnv: flags.apiKeyEnv ?? 'OPENAI_API_KEY' },
    ...{ contextWindow: null, prices: {} },
  };
  await checkModel(config, env);
  const registry = new ModelRegistry({ scripts: [], env });
  const client = registry.client(config);
  const ledger = await Ledger.open<PaidSummary>(parts.output.pathOf(LEDGER));
  const paid: PaidSummary[] = [];
  const { signal } = parts.interrupts;
  return {
    summariser: modelSummariser({
      client,
      model,
      ledger,
      signal,
      onPaid: (summary) => void paid.push(summary),
    }),
    paid,
    close: async () => {
      await ledger.close();
      await registry.close();
    },
  };
}

function interrupted(kind: Summariser['kind']): LongrunError {
  return new LongrunError('cancelled', 'Compressing was interrupted; no row was written', {
    exitCode: EXIT.interrupted,
    hint:
      kind === 'model'
        ? 'The same command goes on from there: summaries that were paid for are not asked for again.'
        : 'Start it again.',
  });
}

/** There was something to do, and none of it was done. */
function nothingWorked({ compressed, failed }: CompressReport): boolean {
  return failed > 0 && compressed === 0;
}
