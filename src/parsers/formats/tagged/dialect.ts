import { anyOf } from '../../any-of.js';

/** How one family spells calls whose parameters stand in tags of their own. */
export interface TagSpelling {
  /** Around all calls; null where there is none. */
  wrapper: Tags | null;
  /** `open` ends where the name begins. */
  call: Tags;
  /** `open` ends where the name begins. */
  parameter: Tags;
  readHead(text: string, at: number, part: TagPart): TagHead | null;
  /** `value` is that of the parameter. */
  writeHead(name: string, part: TagPart, value?: unknown): string;
  /** One line break at the start and one at the end of a value are layout, as the family's template writes them. */
  lineBreaksAreLayout: boolean;
}

/** A spelling, with what readers look for in it. */
export interface TagDialect extends TagSpelling {
  /** What begins calls: a call's opening tag, or that of the wrapper. */
  starts: readonly string[];
  /** What ends a call: its closing tag, or that of the wrapper. */
  ends: readonly string[];
  /** Every tag. */
  tags: readonly string[];
  /** Finds the next of them. */
  anyTag: RegExp;
}

export function dialectOf<Spelling extends TagSpelling>(spelling: Spelling): Spelling & TagDialect {
  const { wrapper, call, parameter } = spelling;
  const starts = wrapper === null ? [call.open] : [call.open, wrapper.open];
  const ends = wrapper === null ? [call.close] : [call.close, wrapper.close];
  const tags = [parameter.open, parameter.close, ...starts, ...ends];
  return { ...spelling, starts, ends, tags, anyTag: anyOf(tags, 'g') };
}

export type TagPart = 'call' | 'parameter';

export interface Tags {
  open: string;
  close: string;
}

/** The rest of an opening tag, from its name to behind its `>`. */
export interface TagHead {
  name: string;
  /** What a `string="…"` beside the name says; null without one. */
  asText: boolean | null;
  end: number;
}

const BARE_NAME = /\s*([^<>\n]{1,200})>/y;
const QUOTED_NAME = /\s*(?:"([^"<>\n]{1,200})"|'([^'<>\n]{1,200})'|([^\s"'<>]{1,200}))([^<>\n]{0,200})>/y;
const STRING_ATTRIBUTE = /\bstring\s*=\s*["']?(true|false)/;

/** `<function=NAME>`, with or without quotes. */
export function bareNameHead(text: string, at: number): TagHead | null {
  BARE_NAME.lastIndex = at;
  const found = BARE_NAME.exec(text);
  if (!found) return null;
  const name = unquoted((found[1] as string).trim());
  return name === '' ? null : { name, asText: null, end: BARE_NAME.lastIndex };
}

/** `<invoke name="NAME" string="true">`. */
export function namedHead(text: string, at: number): TagHead | null {
  QUOTED_NAME.lastIndex = at;
  const found = QUOTED_NAME.exec(text);
  if (!found) return null;
  const [, double, single, bare, attributes = ''] = found;
  const name = (double ?? single ?? bare ?? '').trim();
  const asText = STRING_ATTRIBUTE.exec(attributes)?.[1];
  if (name === '') return null;
  return { name, asText: asText === undefined ? null : asText === 'true', end: QUOTED_NAME.lastIndex };
}

function unquoted(name: string): string {
  const quote = name[0];
  const quoted = name.length > 2 && (quote === '"' || quote === "'") && name.at(-1) === quote;
  return quoted ? name.slice(1, -1) : name;
}
