import type { CallFormat, ReadCalls, ReadContext, Source } from '../call-format.js';
import { dialectOf, namedHead, type TagDialect, type Tags } from './tagged/dialect.js';
import { readTaggedSection } from './tagged/read-section.js';
import { renderTaggedCalls } from './tagged/render.js';
import { readTokenSection } from './tokens/read-section.js';
import type { TokenFormat } from './tokens/token-format.js';

/** Full-width bars as the model writes them, ASCII and doubled ones as gateways pass them on. */
const MARKERS = [
  '<｜DSML｜',
  '<｜｜DSML｜｜',
  '< ｜ DSML ｜ ',
  '<|DSML|',
  '<||DSML||',
  '<| DSML | ',
  '< | DSML | ',
  '<‖DSML‖',
];
const LONGEST_FIRST = [...MARKERS].sort((a, b) => b.length - a.length);
const WRAPPER = /(?:tool_calls|function_calls|calls) ?>/y;
const INVOKE = 'invoke name=';
/** How it is spelled with a token for every beginning and end: what comes before the closing `>`. */
const BEGIN = /tool_calls?_begin(\s?[|｜‖]*\s?)>/y;
const NAME = /\s*([^\s<>{}`"]{1,200})\s*(?=```|\{|\n|<|$)/y;

/**
 * DeepSeek's markup of V3.2 (`function_calls`) and V4 (`tool_calls`): `<｜DSML｜invoke name="f">` with
 * a parameter each, marked `string="true"` where it is text and not JSON. Also the form with
 * `tool_calls_begin` and JSON in a fence, and ASCII bars.
 */
export const deepseekDsml: CallFormat = {
  name: 'deepseek-dsml',
  family: 'deepseek',
  markers: MARKERS,
  read(source, at, context) {
    const marker = LONGEST_FIRST.find((one) => source.text.startsWith(one, at));
    return marker === undefined ? null : readSpelled(source, marker, at, context);
  },
  render(calls) {
    const dialect = tagsOf('<｜DSML｜', 'tool_calls>');
    const written = renderTaggedCalls(calls, dialect);
    return written === '' ? '' : `${dialect.wrapper.open}\n${written}\n${dialect.wrapper.close}`;
  },
};

function readSpelled(source: Source, marker: string, at: number, context: ReadContext): ReadCalls | null {
  const { text } = source;
  const rest = at + marker.length;
  const wrapper = matchAt(WRAPPER, text, rest);
  if (wrapper !== null || text.startsWith(INVOKE, rest)) {
    return readTaggedSection(source, tagsOf(marker, wrapper?.[0] ?? 'tool_calls>'), at, context);
  }
  const begin = matchAt(BEGIN, text, rest);
  return begin === null ? null : readTokenSection(source, tokensOf(marker, begin[1] ?? ''), at, context);
}

/** Kept: there are only so many spellings. */
const DIALECTS = new Map<string, TagDialect & { wrapper: Tags }>();

function tagsOf(marker: string, wrapper: string): TagDialect & { wrapper: Tags } {
  const known = DIALECTS.get(marker + wrapper);
  if (known !== undefined) return known;
  const close = `</${marker.slice(1)}`;
  const made = dialectOf({
    wrapper: { open: `${marker}${wrapper}`, close: `${close}${wrapper}` },
    call: { open: `${marker}${INVOKE}`, close: `${close}invoke>` },
    parameter: { open: `${marker}parameter name=`, close: `${close}parameter>` },
    readHead: namedHead,
    writeHead: (name, part, value) =>
      part === 'call' ? `"${name}">` : `"${name}" string="${typeof value === 'string'}">`,
    lineBreaksAreLayout: false,
  });
  DIALECTS.set(marker + wrapper, made);
  return made;
}

function tokensOf(marker: string, bar: string): TokenFormat {
  const token = (words: string) => `${marker}${words}${bar}>`;
  return {
    section: { open: token('tool_calls_begin'), close: token('tool_calls_end') },
    call: { open: token('tool_call_begin'), close: token('tool_call_end') },
    fenced: true,
    readHeader(text, at) {
      const name = matchAt(NAME, text, at)?.[1];
      return name === undefined ? null : { name, nativeId: null, renamed: null, end: NAME.lastIndex };
    },
  };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
