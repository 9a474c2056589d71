import type { CallFormat } from '../call-format.js';
import { unmarkedJson } from '../json/escaped-json.js';
import { readArguments } from '../json/read-arguments.js';
import { skipSpace } from '../source.js';

/** Where a line is nothing but a name, and JSON begins on the next. */
const START = /(?<![^\n])[A-Za-z_][\w.-]{0,199}[ \t]{0,8}\n\{/g;
const NAME = /([A-Za-z_][\w.-]{0,199})[ \t]{0,8}\n/y;

/** GLM-4: the name of the function on a line, its arguments as JSON below, no marks. */
export const glm4Json: CallFormat = {
  name: 'glm4-json',
  family: 'glm',
  markers: [],
  starts: START,
  read(source, at, { tools }) {
    const { text } = source;
    NAME.lastIndex = at;
    const name = NAME.exec(text)?.[1];
    // Headings above JSON look like that, too.
    if (name === undefined || (tools.size > 0 && !tools.has(name))) return null;
    const read = readArguments(source, NAME.lastIndex);
    const end = read.end;
    const raw = text.slice(at, end);
    const into = { end, calls: [], failures: [], text: '', closed: false };
    if (!read.ok) {
      const failure = { code: read.code, message: `${name}: ${read.message}`, raw, offset: at };
      return tools.has(name) ? { ...into, failures: [failure] } : null;
    }
    const call = { name, nativeId: null, arguments: read.arguments, repairs: read.repairs, raw };
    return { ...into, calls: [call], closed: read.final && skipSpace(text, end) < text.length };
  },
  render: (calls) => calls.map((call) => `${call.name}\n${unmarkedJson(call.arguments)}`).join('\n'),
};
