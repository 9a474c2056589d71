import type { CallFormat, ReadCalls, ReadContext, Source } from '../call-format.js';
import { nameWithoutPrefix } from '../dotted-name.js';
import { escapedJson } from '../json/escaped-json.js';
import { readArguments } from '../json/read-arguments.js';
import { repairOf } from '../json/repair-words.js';
import type { ParseFailure } from '../parse-result.js';
import { findFirst, skipSpace } from '../source.js';

/** What ends a message. The last two begin the next one, where the model left the end out. */
const ENDS = ['<|end|>', '<|call|>', '<|return|>', '<|start|>', '<|channel|>'];
const BEGINNINGS = ['<|start|>', '<|channel|>'];
/** Role, channel and content type of a message; the recipient may stand with the role or the channel. */
const HEADER =
  /(?:<\|start\|>assistant)?(?:[ \n]{0,4}to=([^\s<]{1,200}))?[ \n]{0,4}(?:<\|channel\|>[ \n]{0,4}(\w{1,40}))?(?:[ \n]{0,4}to=([^\s<]{1,200}))?(?:[ \n]{0,4}<\|channel\|>[ \n]{0,4}\w{1,40})?[ \n]{0,4}(?:<\|constrain\|>[ \n]{0,4}\w{1,40}|(?:json|code))?[ \n]{0,4}(<\|message\|>)?/y;
/** Recipients that are no tools. */
const PEOPLE = new Set(['assistant', 'user', 'all']);

interface Header {
  channel: string | null;
  recipient: string | null;
  end: number;
  /** `<|message|>` stands behind it. */
  complete: boolean;
}

/**
 * The harmony format of gpt-oss (https://cookbook.openai.com/articles/openai-harmony): messages in
 * channels. `analysis` is reasoning, `final` and `commentary` are content, and what is addressed to a
 * tool, in whatever channel, is a call of it.
 */
export const harmony: CallFormat = {
  name: 'harmony',
  family: 'harmony',
  markers: ['<|start|>assistant', '<|channel|>'],
  read: readMessage,
  render: (calls) =>
    calls
      .map(({ name, arguments: args }) => {
        const header = `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>`;
        return `${header}${escapedJson(args, ['<|'])}<|call|>`;
      })
      .join('<|start|>assistant'),
};

function readMessage(source: Source, at: number, context: ReadContext): ReadCalls | null {
  const { text } = source;
  const header = headerAt(text, at);
  const { end, recipient, channel } = header;
  // A call may lack the mark before its JSON; a text may end within the header.
  const begun = header.complete || end === text.length || (recipient !== null && text[end] === '{');
  if (!begun || (recipient === null && channel === null && !header.complete)) return null;
  if (recipient !== null) return readCall(source, at, recipient, end, context);
  const message = messageEnd(source, end);
  const body = text.slice(end, message.at);
  const isThought = channel === 'analysis';
  return {
    end: message.end,
    calls: [],
    failures: [],
    text: isThought ? '' : body,
    reasoning: isThought ? [body] : [],
    closed: message.closed,
  };
}

function headerAt(text: string, at: number): Header {
  HEADER.lastIndex = at;
  const found = HEADER.exec(text);
  const addressee = found?.[1] ?? found?.[3] ?? null;
  const recipient = addressee !== null && PEOPLE.has(addressee) ? null : addressee;
  const end = found === null ? at : HEADER.lastIndex;
  return { channel: found?.[2] ?? null, recipient, end, complete: found?.[4] !== undefined };
}

function readCall(
  source: Source,
  at: number,
  recipient: string,
  from: number,
  context: ReadContext,
): ReadCalls {
  const { text } = source;
  const { name, renamed } = nameWithoutPrefix(recipient, (known) => context.tools.has(known));
  const start = skipSpace(text, from);
  const isEmpty = ENDS.some((token) => text.startsWith(token, start));
  if (start === text.length) return failed(source, at, start, name, 'truncated', 'no arguments follow');
  const read = isEmpty
    ? { ok: true as const, arguments: {}, repairs: [], end: start }
    : readArguments(source, start, { until: ENDS });
  if (!read.ok) return failed(source, at, read.end, name, read.code, read.message);
  const next = skipSpace(text, read.end);
  const message = messageEnd(source, next);
  if (message.at > next) {
    const what = 'the JSON is broken: it goes on behind its last closing bracket';
    return failed(source, at, message.at, name, 'bad_json', what);
  }
  const repairs = renamed === null ? [...read.repairs] : [repairOf('name', renamed), ...read.repairs];
  if (BEGINNINGS.some((token) => text.startsWith(token, next))) repairs.push(repairOf('missing_close_tag'));
  const raw = text.slice(at, message.end);
  const call = { name, nativeId: null, arguments: read.arguments, repairs, raw };
  return { end: message.end, calls: [call], failures: [], text: '', closed: message.closed };
}

/** Where the message ends; without an end the text does. Servers cut off the token that stopped the model. */
function messageEnd(source: Source, from: number): { at: number; end: number; closed: boolean } {
  const at = findFirst(source, ENDS, from);
  const token = ENDS.find((candidate) => source.text.startsWith(candidate, at));
  const length = token === undefined || BEGINNINGS.includes(token) ? 0 : token.length;
  return { at, end: at + length, closed: token !== undefined };
}

function failed(
  source: Source,
  at: number,
  stop: number,
  name: string,
  code: ParseFailure['code'],
  what: string,
): ReadCalls {
  const { end, closed } = messageEnd(source, stop);
  const failure = { code, message: `${name}: ${what}`, raw: source.text.slice(at, end), offset: at };
  return { end, calls: [], failures: [failure], text: '', closed };
}
