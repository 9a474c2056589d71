import type { WrittenCall } from '../../call-format.js';
import { escapedJson } from '../../json/escaped-json.js';
import { skipSpace } from '../../source.js';
import type { TagDialect } from './dialect.js';

/** Calls in a dialect, one below the other. Texts are written as they are, everything else as JSON. */
export function renderTaggedCalls(calls: readonly WrittenCall[], dialect: TagDialect): string {
  return calls.map((call) => renderCall(call, dialect)).join('\n');
}

function renderCall(call: WrittenCall, dialect: TagDialect): string {
  const layout = dialect.lineBreaksAreLayout ? '\n' : '';
  const parameters = Object.entries(call.arguments).map(([name, value]) => {
    const text = typeof value === 'string' ? carried(value, dialect) : escapedJson(value, dialect.tags);
    const open = `${dialect.parameter.open}${dialect.writeHead(name, 'parameter', value)}`;
    return `${open}${layout}${text}${layout}${dialect.parameter.close}`;
  });
  return [
    `${dialect.call.open}${dialect.writeHead(call.name, 'call')}`,
    ...parameters,
    dialect.call.close,
  ].join('\n');
}

/**
 * The format has no escape. Tags within a text that would be taken for those of the call are written
 * with `&lt;`, which is not undone on reading: the text then differs by that, the calls stay what they are.
 */
function carried(text: string, dialect: TagDialect): string {
  const { call, parameter } = dialect;
  if (![call.open, parameter.open, parameter.close].some((tag) => text.includes(tag))) return text;
  let written = '';
  for (let at = 0; at < text.length; at += 1) {
    const ends = text.startsWith(parameter.close, at) && endsValue(at + parameter.close.length);
    const misleads = ends || text.startsWith(call.open, at) || text.startsWith(parameter.open, at);
    written += misleads ? '&lt;' : text[at];
  }
  return written;

  function endsValue(from: number): boolean {
    const next = skipSpace(text, from);
    const followers = [parameter.open, ...dialect.ends];
    return next < text.length && followers.some((tag) => text.startsWith(tag, next));
  }
}
