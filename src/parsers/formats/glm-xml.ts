import type { CallFormat, ReadContext } from '../call-format.js';
import { repairName } from '../name-repair.js';
import { dialectOf, type TagHead } from './tagged/dialect.js';
import { readTaggedSection } from './tagged/read-section.js';
import { renderTaggedCalls } from './tagged/render.js';

/** On the tag's line or its own; a word between spaces is prose, unless arguments follow. */
const FUNCTION_NAME = /[\r\n]*([\w.:/-]{1,200})(?=[\r\n]*(?:<\/tool_call|$)|\s*(?:<arg_key|\{))/y;
const WORD = /\s*([\w.:/-]{1,200})\s*<\/tool_call>/y;
const ARGUMENT_NAME = /\s*([^<>\s][^<>\n]{0,199})\s*<\/arg_key>\s*<arg_value>/y;

const DIALECT = dialectOf({
  wrapper: null,
  call: { open: '<tool_call>', close: '</tool_call>' },
  parameter: { open: '<arg_key>', close: '</arg_value>' },
  readHead: (text, at, part) => headOf(part === 'call' ? FUNCTION_NAME : ARGUMENT_NAME, text, at),
  writeHead: (name, part) => (part === 'call' ? name : `${name}</arg_key>\n<arg_value>`),
  lineBreaksAreLayout: false,
});

function headOf(pattern: RegExp, text: string, at: number): TagHead | null {
  pattern.lastIndex = at;
  const name = pattern.exec(text)?.[1];
  return name === undefined ? null : { name: name.trim(), asText: null, end: pattern.lastIndex };
}

/** A word alone between the tags, as in prose about them, is a call only where it names a tool. */
function isWord(text: string, at: number, { tools }: ReadContext): boolean {
  WORD.lastIndex = at + DIALECT.call.open.length;
  const word = WORD.exec(text)?.[1];
  return word !== undefined && tools.size > 0 && repairName(word, [...tools.keys()]) === null;
}

/**
 * GLM 4.5 and 4.7: `<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>`, with or
 * without line breaks between the parts, and GLM-4's `f` and JSON, in the same tag.
 */
export const glmXml: CallFormat = {
  name: 'glm-xml',
  family: 'glm',
  markers: [DIALECT.call.open],
  read: (source, at, context) =>
    isWord(source.text, at, context) ? null : readTaggedSection(source, DIALECT, at, context),
  render: (calls) => renderTaggedCalls(calls, DIALECT),
};
