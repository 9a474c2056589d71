import type { ToolSchema } from '../core/model/messages.js';

/** Model families whose texts can be read. Each may have several wire formats. */
export const FAMILIES = [
  'hermes',
  'qwen',
  'deepseek',
  'glm',
  'llama',
  'kimi',
  'mistral',
  'openai',
  'harmony',
  'minimax',
] as const;
export type Family = (typeof FAMILIES)[number];

export interface ParseOptions {
  /** A family, one of its aliases (`longcat`, `qwen3_coder`, …), or `auto`; unknown names are read as `openai`, with a notice. */
  family: string;
  /** What the model was offered: types the values of XML formats, and names are repaired only towards these. */
  tools?: readonly ToolSchema[];
  /** Repairs names that nearly are one of `tools`. Default true. */
  repairNames?: boolean;
  /** Id of the nth call of this text (from 0). Default `call_<n>`. */
  newId?: (index: number) => string;
  /**
   * Whether the prompt's template has left a think block open, so that the text begins within it.
   * By default unknown: then what precedes a closing tag that nothing opened is reasoning, calls included.
   */
  thinkOpened?: boolean;
}

/** What was changed so that a call could be read. */
export interface Repair {
  kind:
    | 'raw_control_characters'
    | 'invalid_escape'
    | 'trailing_comma'
    | 'single_quotes'
    | 'python_literals'
    | 'unescaped_quotes'
    | 'unclosed_json'
    | 'surplus_closers'
    | 'string_encoded_arguments'
    | 'flat_arguments'
    | 'no_arguments'
    | 'array_of_calls'
    | 'missing_close_tag'
    | 'code_fence'
    | 'duplicated_json'
    | 'kept_as_text'
    | 'name';
  /** One sentence with what was found and what was made of it. */
  detail: string;
}

export interface ParsedToolCall {
  /** Ours: unique within the text, and within a rollout when `newId` sees to it. */
  id: string;
  /** The id that the family itself wrote (`functions.f:0`), or null. */
  nativeId: string | null;
  name: string;
  arguments: Record<string, unknown>;
  /** Empty: as written. */
  repairs: Repair[];
  /** The text it was read from. */
  raw: string;
}

/** A call that was meant and could not be read. Nothing of it is run. */
export interface ParseFailure {
  code: 'bad_json' | 'no_name' | 'not_an_object' | 'truncated' | 'malformed';
  message: string;
  raw: string;
  /** Of `raw` in the text, in UTF-16 units. */
  offset: number;
}

/** What a text of a model says: calls, reasoning, and everything else. */
export interface ParseResult {
  /** Text before, between and after calls, without reasoning; trimmed. */
  content: string;
  /** The insides of all think blocks, a blank line between them; null when there are none. */
  reasoning: string | null;
  toolCalls: ParsedToolCall[];
  failures: ParseFailure[];
  /** The family that the text was read as. */
  family: Family;
  /** The text is in a format of another family than the one asked for: what it was, nothing read as nonsense. */
  mismatch: { asked: string; found: Family } | null;
  /** For people: an unknown family, names that were left alone. */
  notices: string[];
}
