import { isJsonObject, parseJson, respaceJson } from '../json-spacing.js';

/** One result in a `tool` turn. */
export interface ToolResponse {
  toolCallId: string;
  name: string;
  content: string;
}

/** A `tool` turn: a block per result. Contents that are JSON objects or arrays stand as such, all others as strings. */
export function toolValue(responses: readonly ToolResponse[]): string {
  return responses
    .map(({ toolCallId, name, content }) => {
      const [id, tool] = [toolCallId, name].map((text) => JSON.stringify(text));
      return `<tool_response>\n{"tool_call_id": ${id}, "name": ${tool}, "content": ${contentJson(content)}}\n</tool_response>`;
    })
    .join('\n');
}

function contentJson(content: string): string {
  const parsed = /^[{[]/.test(content) ? respaceJson(content) : null;
  return parsed ?? JSON.stringify(content);
}

const OPEN = '<tool_response>';
const CLOSE = '</tool_response>';

/** The results of a turn: of ours exactly, of others block by block; text without blocks is one result. */
export function readToolValue(value: string): ToolResponse[] {
  const exact = readLines(value.split('\n'));
  if (exact) return exact;
  const blocks = insides(value).map((inside) => readResponse(inside) ?? bare(inside));
  return blocks.length > 0 ? blocks : [bare(value)];
}

function insides(value: string): string[] {
  const found: string[] = [];
  for (let open = value.indexOf(OPEN); open >= 0; ) {
    const close = value.indexOf(CLOSE, open);
    if (close < 0) break;
    found.push(value.slice(open + OPEN.length, close).replace(/^\n|\n$/g, ''));
    open = value.indexOf(OPEN, close);
  }
  return found;
}

/** Each block stands on three lines, whatever tags its JSON mentions. */
function readLines(lines: readonly string[]): ToolResponse[] | null {
  const found: ToolResponse[] = [];
  for (let at = 0; at < lines.length; at += 3) {
    if (lines[at] !== OPEN || lines[at + 2] !== CLOSE) return null;
    const response = readResponse(lines[at + 1] ?? '');
    if (response === null) return null;
    found.push(response);
  }
  return found;
}

function readResponse(text: string): ToolResponse | null {
  const parsed = parseJson(text);
  if (!isJsonObject(parsed) || !('content' in parsed)) return null;
  const toolCallId = typeof parsed.tool_call_id === 'string' ? parsed.tool_call_id : '';
  const name = typeof parsed.name === 'string' ? parsed.name : '';
  if (typeof parsed.content === 'string') return { toolCallId, name, content: parsed.content };
  const head = `{"tool_call_id": ${JSON.stringify(toolCallId)}, "name": ${JSON.stringify(name)}, "content": `;
  const content = text.startsWith(head) ? text.slice(head.length, -1) : JSON.stringify(parsed.content);
  return { toolCallId, name, content };
}

const bare = (content: string): ToolResponse => ({ toolCallId: '', name: '', content });
