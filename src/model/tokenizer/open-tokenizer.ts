import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { Template } from '@huggingface/jinja';
import { Tokenizer } from '@huggingface/tokenizers';
import { LongrunError } from '../../core/errors.js';
import type { SamplingTokenizer } from '../../core/model/chat-tokenizer.js';
import { strftime } from '../../core/text/strftime.js';
import { parseJson, readTokenizerFiles, type TokenizerFiles, unusable } from './tokenizer-files.js';

const DIGEST_CHARS = 12;

/** The library's own `strftime_now` reads the clock, and cannot be given another value from outside. */
const PRELUDE = '{% set strftime_now = strftime_then %}\n';

/** The tokenizer and chat template of a model in a local folder. Errors: `bad_input` naming the file. */
export async function openTokenizer(folder: string, setting = '--tokenize'): Promise<SamplingTokenizer> {
  return tokenizerOf(await readTokenizerFiles(folder, setting));
}

/** The same of files that were read, or made. Errors: `bad_input` naming the file. */
export function tokenizerOf(files: TokenizerFiles): SamplingTokenizer {
  const templates = chatTemplates(files);
  const tokenizer = readTokenizer(files);
  const special = specialTokens(files.config);
  const digest = createHash('sha256').update(files.tokenizer).digest('hex').slice(0, DIGEST_CHARS);
  const endOfTurn = special.eos_token ?? null;
  return {
    name: `${basename(files.folder)}@sha256:${digest}`,
    endOfTurn,
    stopIds: stopIds(endOfTurn, tokenizer, files.generation),
    render(messages, { tools, generationPrompt, now }) {
      const template = (tools.length > 0 && templates.tools) || templates.plain;
      return template.render({
        ...special,
        messages,
        tools: tools.length > 0 ? tools : null,
        documents: null,
        add_generation_prompt: generationPrompt,
        strftime_then: (format: string) => strftime(now, format),
      });
    },
    encode: (piece) => tokenizer.encode(piece, { add_special_tokens: false }).ids,
    decode: (ids) => decoded(tokenizer, ids),
    vocabulary: () => vocabulary(tokenizer),
  };
}

/** The library decodes no empty list. */
function decoded(tokenizer: Tokenizer, ids: readonly number[]): string {
  if (ids.length === 0) return '';
  return tokenizer.decode([...ids], { skip_special_tokens: false, clean_up_tokenization_spaces: false });
}

function vocabulary(tokenizer: Tokenizer): Map<number, string> {
  const added = tokenizer.get_added_tokens_decoder();
  const texts = new Map<number, string>();
  for (const id of tokenizer.get_vocab(true).values())
    if (!added.get(id)?.special) texts.set(id, decoded(tokenizer, [id]));
  return texts;
}

function readTokenizer(files: TokenizerFiles): Tokenizer {
  try {
    return new Tokenizer(parseJson(files, 'tokenizer.json', files.tokenizer), files.config);
  } catch (cause) {
    if (LongrunError.is(cause)) throw cause;
    throw unusable(files, 'tokenizer.json', `is no tokenizer that can be read: ${(cause as Error).message}`);
  }
}

/** The template of a file of its own counts before those of the configuration; one may be for calls of tools. */
function chatTemplates(files: TokenizerFiles): { plain: Template; tools?: Template } {
  if (files.template !== null) return { plain: parseTemplate(files, 'chat_template.jinja', files.template) };
  const named = namedTemplates(files.config.chat_template);
  const plain = named.get('default');
  if (plain === undefined)
    throw unusable(
      files,
      'tokenizer_config.json',
      'has no chat_template, and there is no chat_template.jinja',
    );
  const tools = named.get('tool_use');
  const parse = (text: string) => parseTemplate(files, 'tokenizer_config.json', text);
  return { plain: parse(plain), ...(tools === undefined ? {} : { tools: parse(tools) }) };
}

/** One template, or a list of `{ name, template }`. */
function namedTemplates(value: unknown): Map<string, string> {
  if (typeof value === 'string') return new Map([['default', value]]);
  if (!Array.isArray(value)) return new Map();
  return new Map(value.map(({ name, template }) => [String(name), String(template)]));
}

function parseTemplate(files: TokenizerFiles, file: string, text: string): Template {
  try {
    return new Template(PRELUDE + text);
  } catch (cause) {
    throw unusable(files, file, `has a chat template that cannot be read: ${(cause as Error).message}`);
  }
}

/** `bos_token` and the like: a string, or an object with its `content`. */
function specialTokens(config: TokenizerFiles['config']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(config).flatMap(([key, value]) => {
      const text = typeof value === 'string' ? value : (value as { content?: unknown } | null)?.content;
      return /^[a-z]+_token$/.test(key) && typeof text === 'string' ? [[key, text]] : [];
    }),
  );
}

/** `eos_token_id` of the generation settings is one id or several: a model may end calls of tools otherwise than answers. */
function stopIds(
  endOfTurn: string | null,
  tokenizer: Tokenizer,
  { eos_token_id: more }: TokenizerFiles['generation'],
): Set<number> {
  const own = endOfTurn === null ? undefined : tokenizer.token_to_id(endOfTurn);
  const ids = [own, ...(Array.isArray(more) ? more : [more])];
  return new Set(ids.filter((id): id is number => typeof id === 'number'));
}
