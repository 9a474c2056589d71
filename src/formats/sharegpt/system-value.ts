import { parseJson } from '../json-spacing.js';
import { type OfferedTool, readTools } from '../offered-tools.js';
import { pythonJson } from '../python-json.js';

const BEFORE_TOOLS =
  'You are a function calling AI model. You are provided with function signatures within <tools> </tools> XML tags. ' +
  'You may call one or more functions to assist with the user query. If available tools are not relevant in assisting ' +
  "with user query, just respond in natural conversational language. Don't make assumptions about what values to plug " +
  'into functions. After calling & executing the functions, you will be provided with function results within ' +
  '<tool_response> </tool_response> XML tags. Here are the available tools:\n<tools>\n';
const AFTER_TOOLS =
  '\n</tools>\nFor each function call return a JSON object, with the following pydantic model json schema for each:\n' +
  "{'title': 'FunctionCall', 'type': 'object', 'properties': {'name': {'title': 'Name', 'type': 'string'}, " +
  "'arguments': {'title': 'Arguments', 'type': 'object'}}, 'required': ['name', 'arguments']}\n" +
  'Each function call should be enclosed within <tool_call> </tool_call> XML tags.\nExample:\n<tool_call>\n' +
  "{'name': <function-name>,'arguments': <args-dict>}\n</tool_call>";

const OPEN = '<tools>\n';
const CLOSE = '\n</tools>';

/** The system turn of every row: how to call functions, and which there are. The rollout's own system prompt is not in the format. */
export function systemValue(tools: readonly OfferedTool[]): string {
  const definitions = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
    required: null,
  }));
  return BEFORE_TOOLS + pythonJson(definitions) + AFTER_TOOLS;
}

/** The tools of such a turn; null for a system turn of another kind. */
export function toolsOfSystemValue(value: string): OfferedTool[] | null {
  const open = value.indexOf(OPEN);
  const close = value.lastIndexOf(CLOSE);
  const list = open < 0 || close < open ? null : parseJson(value.slice(open + OPEN.length, close));
  if (!Array.isArray(list)) return null;
  return readTools(list);
}
