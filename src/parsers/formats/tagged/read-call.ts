import type { RawCall, ReadContext, Source } from '../../call-format.js';
import { readArguments } from '../../json/read-arguments.js';
import { repairOf } from '../../json/repair-words.js';
import type { ParseFailure, Repair } from '../../parse-result.js';
import { declaredProperties, typesOfProperty } from '../../schema-types.js';
import { typeValue } from '../../schema-typing.js';
import { findFirst, skipSpace } from '../../source.js';
import type { TagDialect, TagHead } from './dialect.js';
import { endOfValue, type IsSibling } from './value-end.js';

export interface TaggedCall {
  call: Omit<RawCall, 'raw'> | null;
  failure: Pick<ParseFailure, 'code' | 'message'> | null;
  end: number;
  /** Text between the parameters that belongs to none. */
  text: string;
  closed: boolean;
}

/** Reads the call whose opening tag is at `at`, up to and with its closing tag; null when no such tag is there. */
export function readTaggedCall(
  source: Source,
  dialect: TagDialect,
  at: number,
  context: ReadContext,
): TaggedCall | null {
  const head = dialect.readHead(source.text, at + dialect.call.open.length, 'call');
  if (head === null) return null;
  const body = skipSpace(source.text, head.end);
  return source.text[body] === '{'
    ? readJsonBody(source, dialect, head.name, body)
    : new ParameterReader(source, dialect, head.name, context).read(head.end);
}

/** `<function=f>{"a": 1}</function>`, as Llama and small Qwen models write it. */
function readJsonBody(source: Source, dialect: TagDialect, name: string, at: number): TaggedCall {
  const read = readArguments(source, at, { until: dialect.ends });
  const next = skipSpace(source.text, read.end);
  const closed = source.text.startsWith(dialect.call.close, next);
  const end = closed ? next + dialect.call.close.length : read.end;
  if (!read.ok) {
    const failure = { code: read.code, message: `${name}: ${read.message}` };
    return { call: null, failure, end, text: '', closed };
  }
  const repairs = closed ? read.repairs : [...read.repairs, repairOf('missing_close_tag')];
  const call = { name, nativeId: null, arguments: read.arguments, repairs };
  return { call, failure: null, end, text: '', closed };
}

class ParameterReader {
  private readonly values = new Map<string, unknown>();
  private readonly repairs: Repair[] = [];
  private readonly parameters: Record<string, unknown> | null;
  private readonly declared: ReadonlySet<string> | null;
  private failure: TaggedCall['failure'] = null;
  private text = '';

  constructor(
    private readonly source: Source,
    private readonly dialect: TagDialect,
    private readonly name: string,
    context: ReadContext,
  ) {
    this.parameters = context.tools.get(name)?.parameters ?? null;
    this.declared = this.parameters && declaredProperties(this.parameters);
  }

  read(from: number): TaggedCall {
    const { text } = this.source;
    const { call, parameter } = this.dialect;
    let at = from;
    while (this.failure === null) {
      const next = skipSpace(text, at);
      if (text.startsWith(call.close, next)) return this.result(next + call.close.length, true);
      const head = text.startsWith(parameter.open, next)
        ? this.dialect.readHead(text, next + parameter.open.length, 'parameter')
        : null;
      const after = head === null ? this.strayText(next) : this.value(head);
      if (after === null) return this.unclosed(at);
      at = after;
    }
    return this.result(at, false);
  }

  /** Passes over what is no parameter, if the call goes on behind it. */
  private strayText(at: number): number | null {
    const { text } = this.source;
    const { call, parameter, starts, ends } = this.dialect;
    if (text.startsWith(parameter.close, at)) return at + parameter.close.length;
    const tags = [parameter.open, ...ends, ...starts];
    const next = findFirst(this.source, tags, at + 1);
    const goesOn = text.startsWith(parameter.open, next) || text.startsWith(call.close, next);
    if (!goesOn || at === text.length || this.startsOther(at)) return null;
    this.text += text.slice(at, next);
    return next;
  }

  private startsOther(at: number): boolean {
    const { starts, ends } = this.dialect;
    return [...starts, ...ends].some((tag) => this.source.text.startsWith(tag, at));
  }

  private value(head: TagHead): number {
    const found = endOfValue(this.source, this.dialect, head.end, this.isSibling(head.name));
    if (found.how === 'cut') {
      const message = `${this.name}: the text ends in the middle of the value of ${head.name}`;
      this.failure = { code: 'truncated', message };
      return found.after;
    }
    if (found.how === 'missing') {
      const detail = `${head.name}: the closing mark of the value was missing`;
      this.repairs.push(repairOf('missing_close_tag', detail));
    }
    const written = this.source.text.slice(head.end, found.end);
    // The line break before the tag that shows the end stands for the tag that is missing.
    this.put(head, found.how === 'missing' ? written.replace(/\n$/, '') : written);
    return found.after;
  }

  private put(head: TagHead, written: string): void {
    const text = this.dialect.lineBreaksAreLayout ? withoutLayout(written) : written;
    const types = this.parameters && typesOfProperty(this.parameters, head.name);
    const asText = head.asText === true && (types === null || types.has('string'));
    const { value, repairs } = asText ? { value: text, repairs: [] } : typeValue(text, types);
    this.values.set(head.name, value);
    this.repairs.push(...repairs.map(({ kind, detail }) => repairOf(kind, `${head.name}: ${detail}`)));
  }

  private isSibling(current: string): IsSibling {
    return (name) =>
      name !== current && !this.values.has(name) && (this.declared === null || this.declared.has(name));
  }

  /** Values that were begun are never run in part; a call that only lacks its closing tag is. */
  private unclosed(at: number): TaggedCall {
    const { text } = this.source;
    const { call, parameter } = this.dialect;
    const next = skipSpace(text, at);
    const inParameter = text.startsWith(parameter.open, next) || endsWithin(text, next, parameter.open);
    if (inParameter || (this.values.size === 0 && next === text.length)) {
      this.failure = { code: 'truncated', message: `${this.name}: the text ends in the middle of the call` };
      return this.result(text.length, false);
    }
    this.repairs.push(repairOf('missing_close_tag'));
    return this.result(endsWithin(text, next, call.close) ? text.length : at, false);
  }

  private result(end: number, closed: boolean): TaggedCall {
    const { failure, text } = this;
    // fromEntries: `__proto__` is a name like any other.
    const args = Object.fromEntries(this.values);
    const call =
      failure === null ? { name: this.name, nativeId: null, arguments: args, repairs: this.repairs } : null;
    return { call, failure, end, text, closed };
  }
}

/** The text ends within that tag, of which a part is there. */
export function endsWithin(text: string, at: number, tag: string): boolean {
  return at < text.length && text.length - at < tag.length && tag.startsWith(text.slice(at));
}

function withoutLayout(text: string): string {
  const start = text.startsWith('\n') ? 1 : 0;
  return text.slice(start, text.length > start && text.endsWith('\n') ? -1 : undefined);
}
