import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { badInput } from '../../core/errors.js';

type Json = Readonly<Record<string, unknown>>;

/** What a model's tokenizer and chat template are made of. */
export interface TokenizerFiles {
  /** Where they were found; the last part of it is the tokenizer's name. */
  folder: string;
  /** The setting that named the folder. */
  setting: string;
  /** As written: its digest tells tokenizers of the same name apart. */
  tokenizer: string;
  /** tokenizer_config.json */
  config: Json;
  /** chat_template.jinja, or null. */
  template: string | null;
  /** generation_config.json, or nothing of it. */
  generation: Json;
}

const ACCEPTED =
  'a folder with tokenizer.json, tokenizer_config.json and a chat template, as models are published with';

/** The files of a model's folder. Errors: `bad_input` naming the file. */
export async function readTokenizerFiles(folder: string, setting: string): Promise<TokenizerFiles> {
  const at = { folder: resolve(folder), setting };
  const tokenizer = await required(at, 'tokenizer.json');
  const config = parseJson(at, 'tokenizer_config.json', await required(at, 'tokenizer_config.json'));
  const generation = await optional(at, 'generation_config.json');
  return {
    ...at,
    tokenizer,
    config,
    template: await optional(at, 'chat_template.jinja'),
    generation: generation === null ? {} : parseJson(at, 'generation_config.json', generation),
  };
}

export function parseJson(at: Pick<TokenizerFiles, 'folder' | 'setting'>, file: string, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw unusable(at, file, `is not JSON: ${(cause as Error).message}`);
  }
}

/** The error of a file that cannot be used. */
export function unusable(
  { folder, setting }: Pick<TokenizerFiles, 'folder' | 'setting'>,
  file: string,
  what: string,
) {
  return badInput(`${setting}: ${join(folder, file)} ${what}.`, `Accepted is ${ACCEPTED}.`);
}

async function required(at: Pick<TokenizerFiles, 'folder' | 'setting'>, file: string): Promise<string> {
  try {
    return await readFile(join(at.folder, file), 'utf8');
  } catch (cause) {
    throw unusable(at, file, `cannot be read: ${(cause as Error).message}`);
  }
}

const optional = ({ folder }: Pick<TokenizerFiles, 'folder'>, file: string): Promise<string | null> =>
  readFile(join(folder, file), 'utf8').catch(() => null);
