import { append } from '../../core/lists/append.js';
import type { CallFormat, ReadCalls, ReadContext, Source } from '../call-format.js';
import { callListOf, callShapeOf, callsOfJson, isRecord } from '../calls/json-calls.js';
import { readSeries, type SeriesItem } from '../calls/json-series.js';
import { unmarkedJson } from '../json/escaped-json.js';
import { repairOf } from '../json/repair-words.js';

/** What the first key of a call, a message or a wrapper may be. */
const FIRST_KEY =
  'name|arguments|parameters|input|function|function_call|tool_calls|type|id|index|role|content|object|thoughts?|reasoning';
/** Where an object or a list of objects begins that may be calls, perhaps in a code fence. */
const START = new RegExp(
  `(?:\`\`\`[A-Za-z]*\\s*)?(?:\\[\\s*)?\\{\\s*(?:"(?:${FIRST_KEY})"|'(?:${FIRST_KEY})')\\s*:`,
);
const FENCE = /```[A-Za-z]*\s*/y;
const FENCE_END = /\s*```/y;
/** What stands before an object that is part of another one. */
const WITHIN_JSON = /(?:["']\s*:|\[|["'}\]\d]\s*,)\s*$/;
const LOOK_BEHIND = 40;
/** How far into a broken object it is looked for what makes it a call. */
const HEAD = 400;
const NAMED = /^[`a-z\s[]*\{\s*["']name["']\s*:\s*["']([^"'\n]{1,100})["']/;
const NOTHING_BEFORE = /^\s*(?:```[A-Za-z]*\s*)?$/;
const CALL_KEYS = /["'](?:arguments|parameters|tool_calls|function_call)["']\s*:/;

/**
 * Calls as JSON without any mark around them, in OpenAI's shapes: Qwen, GLM 4, Llama, Kimi 1.5 and
 * whatever else answers like an API. Its places are found by what they look like, not by markers.
 */
export const bareJson: CallFormat = {
  name: 'bare-json',
  family: 'openai',
  markers: [],
  starts: START,
  read: readBare,
  render: (calls) =>
    calls.length === 0
      ? ''
      : JSON.stringify({
          tool_calls: calls.map(({ id, name, arguments: args }) => ({
            id,
            type: 'function',
            function: { name, arguments: unmarkedJson(args) },
          })),
        }),
};

function readBare(source: Source, at: number, context: ReadContext): ReadCalls | null {
  const { text } = source;
  if (WITHIN_JSON.test(text.slice(Math.max(0, at - LOOK_BEHIND), at))) return null;
  const fence = lengthAt(FENCE, text, at);
  const start = at + fence;
  const series = readSeries(source, start, (item) => isCallLike(item, source, context));
  const { items, refused } = series;
  // Sound JSON is taken as a whole: what is nested in it is no call either.
  if (items.length === 0 && refused !== null)
    return refused.read.ok ? asText(text, at, refused.read.end) : null;
  const end = series.end + (fence > 0 ? lengthAt(FENCE_END, text, series.end) : 0);
  const result: ReadCalls = { end, calls: [], failures: [], text: '', closed: false };
  for (const [index, { at: itemAt, read }] of items.entries()) {
    const offset = index === 0 ? at : itemAt;
    const raw = text.slice(offset, read.end);
    if (!read.ok) {
      result.failures.push({ code: read.code, message: read.message, raw, offset });
      continue;
    }
    const repairs = fence > 0 ? [repairOf('code_fence'), ...read.repairs] : read.repairs;
    const found = callsOfJson(read.value, { raw, offset, repairs });
    append(result.calls, found.calls);
    append(result.failures, found.failures);
    result.text += found.text;
  }
  return result;
}

function asText(text: string, at: number, end: number): ReadCalls {
  return { end, calls: [], failures: [], text: text.slice(at, end), closed: false };
}

function isCallLike({ at, read }: SeriesItem, { text }: Source, context: ReadContext): boolean {
  if (!read.ok) return isBrokenCall(text, at, context);
  const { value } = read;
  if (callListOf(value) !== null) return true;
  const values = Array.isArray(value) ? value : [value];
  return values.length > 0 && values.every((one) => isBareCall(one, context));
}

/** An object with no more than a name is data, unless the name is a tool's. */
function isBareCall(value: unknown, { tools }: ReadContext): boolean {
  const shape = callShapeOf(value);
  if (shape === null || !isRecord(value)) return false;
  return shape.hasArguments || shape.textArguments || tools.has(shape.name);
}

function isBrokenCall(text: string, at: number, { tools }: ReadContext): boolean {
  const head = text.slice(at, at + HEAD);
  const name = NAMED.exec(head)?.[1];
  if (name !== undefined && tools.has(name)) return true;
  const begins = at < HEAD && NOTHING_BEFORE.test(text.slice(0, at));
  return begins && CALL_KEYS.test(head) && /["'](?:name|function|tool_calls)["']/.test(head);
}

function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
