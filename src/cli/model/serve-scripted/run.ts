import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { tbliteScripts } from '../../../../environments/tblite/scripts/index.js';
import { badInput } from '../../../core/errors.js';
import { catchInterrupts } from '../../../launch/interrupts.js';
import type { TaskScript } from '../../../model/index.js';
import {
  ownTokenizerFiles,
  PolicyServer,
  parseFailureRule,
  scriptedPolicy,
} from '../../../model/policy-server/index.js';
import { openTokenizer, tokenizerOf } from '../../../model/tokenizer/open-tokenizer.js';
import { FAMILIES, resolveFamily } from '../../../parsers/index.js';
import { createFile } from '../../../store/filesystem/open-own.js';
import { type CliIo, EXIT } from '../../cli-io.js';
import { printJson } from '../../print.js';
import { wholeNumber } from '../../whole-number.js';

/** What commander parsed. */
export interface ServeScriptedFlags {
  port: string;
  seed: string;
  tokenizer?: string;
  writeTokenizer?: string;
  family?: string;
  scripts?: string;
  usualBias: string;
  policyVersion: string;
  fail?: string[];
  retryAfter: string;
  json?: boolean;
}

const MODELS = ['demo', 'solver', 'failing', 'partly'] as const;
const MAX_PORT = 65_535;

/** Serves until Ctrl-C, which is how it is meant to end. */
export async function serveScripted(flags: ServeScriptedFlags, io: CliIo): Promise<void> {
  const port = wholeNumber('--port', flags.port, 0);
  if (port > MAX_PORT) throw badInput(`--port: found "${port}", accepted: a port up to ${MAX_PORT}.`);
  const options = {
    models: MODELS,
    tokenizer: await tokenizerFor(flags),
    policy: scriptedPolicy([...(await scriptsOf(flags.scripts)), ...tbliteScripts]),
    seed: wholeNumber('--seed', flags.seed, 0),
    usualBias: notNegative('--usual-bias', flags.usualBias),
    family: familyOf(flags.family),
    failures: (flags.fail ?? []).map((rule) => parseFailureRule(rule)),
    retryAfterSec: notNegative('--retry-after', flags.retryAfter),
    policyVersion: flags.policyVersion,
  };
  const interrupts = catchInterrupts(() => process.exit(EXIT.interrupted));
  const server = await PolicyServer.start(options, port);
  try {
    const { baseUrl } = server;
    if (flags.json) printJson(io, { base_url: baseUrl, models: MODELS, tokenizer: options.tokenizer.name });
    else
      io.stdout.write(`A scripted policy (${MODELS.join(', ')}) answers at ${baseUrl}. Ctrl-C stops it.\n`);
    if (!interrupts.signal.aborted)
      await new Promise((resolve) => interrupts.signal.addEventListener('abort', resolve));
  } finally {
    interrupts.release();
    await server.close();
  }
}

async function tokenizerFor({ tokenizer, writeTokenizer }: ServeScriptedFlags) {
  if (tokenizer !== undefined && writeTokenizer !== undefined)
    throw badInput(
      '--write-tokenizer writes its own tokenizer, and --tokenizer names another one.',
      'Give one of them.',
    );
  if (tokenizer !== undefined) return openTokenizer(tokenizer, '--tokenizer');
  const files = ownTokenizerFiles();
  if (writeTokenizer !== undefined) await write(writeTokenizer, files);
  return tokenizerOf(files);
}

async function write(folder: string, files: ReturnType<typeof ownTokenizerFiles>): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await replaceFile(join(folder, 'tokenizer.json'), files.tokenizer);
    await replaceFile(join(folder, 'tokenizer_config.json'), `${JSON.stringify(files.config, null, 2)}\n`);
    await replaceFile(join(folder, 'chat_template.jinja'), files.template ?? '');
  } catch (cause) {
    throw badInput(`--write-tokenizer: ${folder} cannot be written: ${(cause as Error).message}.`);
  }
}

async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const file = await createFile(path);
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}

const call = z.strictObject({
  name: z.string(),
  arguments: z.union([z.record(z.string(), z.unknown()), z.string()]),
});
const turn = z
  .strictObject({
    content: z.string().default(''),
    reasoning: z.string().optional(),
    tool_calls: z.array(call).default([]),
  })
  .transform(({ content, reasoning, tool_calls: toolCalls }) => ({
    ...{ content, toolCalls },
    ...(reasoning === undefined ? {} : { reasoning }),
  }));
const turns = z.array(turn).min(1);
const scriptsSchema = z.array(
  z.strictObject({
    recognise: z.string().min(1),
    variants: z.strictObject({ solves: turns, fails: turns, partly: turns }),
  }),
);

async function scriptsOf(file: string | undefined): Promise<TaskScript[]> {
  if (file === undefined) return [];
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw badInput(`--scripts: ${file} cannot be read: ${(cause as Error).message}.`);
  }
  const read = scriptsSchema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw badInput(
    `--scripts: ${file}: at ${issue?.path.join('.') || 'the top'}: ${issue?.message}.`,
    'Accepted is a list of { recognise, variants: { solves, fails, partly } }, each variant a list of answers.',
  );
}

function notNegative(flag: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw badInput(`${flag}: found "${text}", accepted: a number of at least 0.`);
}

function familyOf(name: string | undefined): string | null {
  if (name === undefined || resolveFamily(name).family !== null) return name ?? null;
  throw badInput(`--family: found "${name}", accepted: ${FAMILIES.join(', ')}.`);
}
