export type { CallFormat, WrittenCall } from './call-format.js';
export { FAMILY_FORMATS, resolveFamily } from './families.js';
export { parse } from './parse.js';
export { type ChatApiMessage, parseMessage } from './parse-message.js';
export {
  FAMILIES,
  type Family,
  type ParsedToolCall,
  type ParseFailure,
  type ParseOptions,
  type ParseResult,
  type Repair,
} from './parse-result.js';
export { formatsOf, renderToolCalls } from './render.js';
export { createStreamParser, type StreamEvent, type StreamParser } from './stream.js';
