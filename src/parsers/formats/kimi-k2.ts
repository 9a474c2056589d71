import type { CallFormat } from '../call-format.js';
import { nameWithoutPrefix } from '../dotted-name.js';
import { escapedJson } from '../json/escaped-json.js';
import { readTokenSection } from './tokens/read-section.js';
import { sectionOpens, type TokenFormat } from './tokens/token-format.js';

const ARGUMENTS = '<|tool_call_argument_begin|>';
const HEADER = /\s*([^\s<>{}"]{1,300})\s*(?:<\|tool_call_argument_begin\|>|(?=[{<]|$))/y;

const FORMAT: TokenFormat = {
  section: { open: '<|tool_calls_section_begin|>', close: '<|tool_calls_section_end|>' },
  alsoSection: [{ open: '<|tool_call_section_begin|>', close: '<|tool_call_section_end|>' }],
  call: { open: '<|tool_call_begin|>', close: '<|tool_call_end|>' },
  fenced: false,
  readHeader(text, at, isKnown) {
    HEADER.lastIndex = at;
    const id = HEADER.exec(text)?.[1];
    if (id === undefined) return null;
    const { name, renamed } = nameWithoutPrefix(id.replace(/:\d+$/, ''), isKnown);
    return { name, renamed, nativeId: id, end: HEADER.lastIndex };
  },
};

/** Kimi K2: its own id, `functions.NAME:INDEX`, then JSON, between special tokens. */
export const kimiK2: CallFormat = {
  name: 'kimi-k2',
  family: 'kimi',
  markers: [...sectionOpens(FORMAT), FORMAT.call.open],
  read: (source, at, context) => readTokenSection(source, FORMAT, at, context),
  render(calls) {
    const { section, call } = FORMAT;
    const written = calls.map(({ name, arguments: args }, index) => {
      return `${call.open}functions.${name}:${index}${ARGUMENTS}${escapedJson(args, ['<|'])}${call.close}`;
    });
    return written.length === 0 ? '' : `${section.open}${written.join('')}${section.close}`;
  },
};
