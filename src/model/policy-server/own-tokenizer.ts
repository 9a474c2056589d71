import type { TokenizerFiles } from '../tokenizer/tokenizer-files.js';

const SPECIAL = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];
const ADDED = ['<tool_call>', '</tool_call>', '<think>', '</think>'];

/** Words that get tokens of their own, and with them several spellings. A space before a word belongs to it. */
const WORDS = (
  'terminal finish summary command content path arguments name read_file write_file search_files patch pattern ' +
  'Done the and that with this file folder test echo cat answer app turn tool call'
).split(' ');

const TEMPLATE = `{%- if tools %}
{{- '<|im_start|>system\\nYou can call these tools:\\n' }}
{%- for tool in tools %}
{{- tool | tojson + '\\n' }}
{%- endfor %}
{{- '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' }}
{%- if message.role == 'assistant' %}
{%- if message.reasoning_content %}
{{- '<think>\\n' + message.reasoning_content + '\\n</think>\\n' }}
{%- endif %}
{{- message.content or '' }}
{%- for call in message.tool_calls or [] %}
{%- if message.content or not loop.first %}{{- '\\n' }}{%- endif %}
{{- '<tool_call>\\n{"name": ' + (call.function.name | tojson) + ', "arguments": ' + (call.function.arguments | tojson) + '}\\n</tool_call>' }}
{%- endfor %}
{%- else %}
{{- message.content }}
{%- endif %}
{{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|im_start|>assistant\\n' }}
{%- endif %}
`;

/**
 * A small byte-level tokenizer with ChatML's marks, for demos without a model's own: its words can be spelled
 * in several ways, as those of real tokenizers can. In the form in which models are published.
 */
export function ownTokenizerFiles(): TokenizerFiles {
  const bytes = byteCharacters();
  const vocabulary = [...SPECIAL, ...bytes];
  const known = new Set(vocabulary);
  const merges: [string, string][] = [];
  for (const word of WORDS.flatMap((plain) => [plain, ` ${plain}`])) {
    const letters = [...Buffer.from(word)].map((byte) => bytes[byte] as string);
    for (let end = 2; end <= letters.length; end++) {
      const made = letters.slice(0, end).join('');
      if (known.has(made)) continue;
      known.add(made);
      vocabulary.push(made);
      merges.push([letters.slice(0, end - 1).join(''), letters[end - 1] as string]);
    }
  }
  return {
    folder: '/longrun-policy',
    setting: '--tokenizer',
    tokenizer: `${JSON.stringify(definition(vocabulary, merges), null, 1)}\n`,
    config: {
      tokenizer_class: 'PreTrainedTokenizerFast',
      eos_token: '<|im_end|>',
      pad_token: '<|endoftext|>',
    },
    template: TEMPLATE,
    generation: {},
  };
}

function definition(vocabulary: readonly string[], merges: readonly [string, string][]) {
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
  const token = (content: string, id: number, special: boolean) => ({
    ...{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special },
  });
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [
      ...SPECIAL.map((content, id) => token(content, id, true)),
      ...ADDED.map((content, i) => token(content, vocabulary.length + i, false)),
    ],
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(vocabulary.map((text, id) => [text, id])),
      merges,
    },
  };
}

/** The character that byte-level tokenizers write for each byte: itself where it can be seen. */
function byteCharacters(): string[] {
  const visible = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(visible(byte) ? byte : next++));
}
