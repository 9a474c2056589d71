import type { CallFormat } from '../call-format.js';
import { bareNameHead, dialectOf } from './tagged/dialect.js';
import { readTaggedSection } from './tagged/read-section.js';
import { renderTaggedCalls } from './tagged/render.js';

const DIALECT = dialectOf({
  wrapper: { open: '<tool_call>', close: '</tool_call>' },
  call: { open: '<function=', close: '</function>' },
  parameter: { open: '<parameter=', close: '</parameter>' },
  readHead: bareNameHead,
  writeHead: (name) => `${name}>`,
  lineBreaksAreLayout: true,
});

/**
 * Qwen3-Coder's tags: `<tool_call><function=f><parameter=a>…</parameter></function></tool_call>`.
 * The model often leaves the outer tag out.
 */
export const qwenCoder: CallFormat = {
  name: 'qwen-coder',
  family: 'qwen',
  markers: [DIALECT.wrapper.open, DIALECT.call.open],
  read: (source, at, context) => readTaggedSection(source, DIALECT, at, context),
  render: (calls) =>
    calls.map((call) => `<tool_call>\n${renderTaggedCalls([call], DIALECT)}\n</tool_call>`).join('\n'),
};
