import { append } from '../../core/lists/append.js';
import type { CallFormat, ReadCalls } from '../call-format.js';
import { callsOfJson } from '../calls/json-calls.js';
import { readSeries } from '../calls/json-series.js';
import { skipSpace } from '../source.js';

const TAG = '<|python_tag|>';
const ENDS = ['<|eom_id|>', '<|eot_id|>', '<|eot|>'];

/** Llama 3 and 4: JSON behind `<|python_tag|>`, several calls by `;`, nothing that closes them. */
export const pythonTagJson: CallFormat = {
  name: 'python-tag-json',
  family: 'llama',
  markers: [TAG],
  read(source, at) {
    const { text } = source;
    const start = skipSpace(text, at + TAG.length);
    if (text[start] !== '{' && text[start] !== '[') return null;
    const { items, end } = readSeries(source, start, () => true);
    const mark = ENDS.find((candidate) => text.startsWith(candidate, end));
    const result: ReadCalls = {
      end: end + (mark?.length ?? 0),
      calls: [],
      failures: [],
      text: '',
      closed: mark !== undefined && items.every(({ read }) => read.final),
    };
    for (const [index, item] of items.entries()) {
      const { read } = item;
      const raw = text.slice(index === 0 ? at : item.at, read.end);
      const place = { raw, offset: index === 0 ? at : item.at };
      if (!read.ok) {
        result.failures.push({ code: read.code, message: read.message, ...place });
        continue;
      }
      const found = callsOfJson(read.value, { ...place, repairs: read.repairs });
      append(result.calls, found.calls);
      append(result.failures, found.failures);
    }
    return result;
  },
  render: (calls) =>
    calls.length === 0
      ? ''
      : TAG + calls.map(({ name, arguments: parameters }) => JSON.stringify({ name, parameters })).join('; '),
};
