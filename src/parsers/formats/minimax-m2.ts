import type { CallFormat } from '../call-format.js';
import { dialectOf, namedHead } from './tagged/dialect.js';
import { readTaggedSection } from './tagged/read-section.js';
import { renderTaggedCalls } from './tagged/render.js';

const DIALECT = dialectOf({
  wrapper: { open: '<minimax:tool_call>', close: '</minimax:tool_call>' },
  call: { open: '<invoke name=', close: '</invoke>' },
  parameter: { open: '<parameter name=', close: '</parameter>' },
  readHead: namedHead,
  writeHead: (name) => `"${name}">`,
  lineBreaksAreLayout: false,
});

/** MiniMax M2: `<minimax:tool_call><invoke name="f"><parameter name="a">1</parameter></invoke></minimax:tool_call>`. */
export const minimaxM2: CallFormat = {
  name: 'minimax-m2',
  family: 'minimax',
  markers: [DIALECT.wrapper.open],
  read: (source, at, context) => readTaggedSection(source, DIALECT, at, context),
  render: (calls) =>
    `${DIALECT.wrapper.open}\n${renderTaggedCalls(calls, DIALECT)}\n${DIALECT.wrapper.close}`,
};
