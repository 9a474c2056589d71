import type { ToolSchema } from '../src/core/model/messages.js';
import type { CallFormat } from '../src/parsers/call-format.js';
import type { Family } from '../src/parsers/parse-result.js';

export const MEGABYTE = 1_000_000;

export const TOOLS: ToolSchema[] = [
  {
    name: 'write_file',
    description: 'Writes a file',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        content: { type: 'string' },
        mode: { type: 'integer' },
        tags: { type: 'array' },
      },
    },
  },
  {
    name: 'terminal',
    description: 'Runs a command',
    parameters: { type: 'object', properties: { command: { type: 'string' }, timeout: { type: 'number' } } },
  },
];

const SOURCE = `import { readFile } from 'node:fs/promises';

/** Reads the lines of a file, "as they are": <not> trimmed. */
export async function lines(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8');
  return text.split('\\n').filter((line) => line !== '' && !line.startsWith('#'));
}
`;

/** What a coding model writes: some thought, some prose, a file, a command; repeated up to a megabyte. */
export function realisticText(format: CallFormat): string {
  const calls = Array.from({ length: 4 }, (_, index) => ({
    id: `abcdefgh${index}`,
    name: index % 2 === 0 ? 'write_file' : 'terminal',
    arguments:
      index % 2 === 0
        ? { path: `src/lines-${index}.ts`, content: SOURCE.repeat(4), mode: 420, tags: ['a', 'b'] }
        : { command: `grep -rn "lines(" src | head -${index}`, timeout: 30 },
  }));
  // Without marks a text is calls and nothing else.
  const prose = format.markers.length === 0 ? '' : 'Now I write the file and look who else uses it.\n\n';
  return repeated(`${prose}${format.render(calls)}\n`, MEGABYTE);
}

/** Openings that never end, ends that never count, and searches that have to go to the end: one pattern after the other. */
const HOSTILE: Record<Family, string[]> = {
  hermes: [
    '<tool_call>',
    '<tool_call>{"name":"f","arguments":{"a":"',
    '<tool_call>{"a":',
    '<think>',
    '</tool_call>{',
  ],
  qwen: [
    '<tool_call><function=f><parameter=a>x',
    '<tool_call><function=f><parameter=a>x</function></tool_call>',
    '<tool_call><function=f><parameter=a><function=z><parameter=b></parameter></function>',
    '<tool_call><function=f><parameter=a><function=z></function><function=z></function></parameter>\n</function>',
    '<function=f><parameter=a></parameter> ',
    '<parameter=a>',
    '<function=',
  ],
  deepseek: [
    '<｜tool▁calls▁begin｜>',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{"a":"',
    '<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n',
    '<｜DSML｜tool_calls><｜DSML｜invoke name="f"><｜DSML｜parameter name="a">',
    '<｜DSML｜',
  ],
  glm: ['<tool_call>f<arg_key>a</arg_key><arg_value>x', '<tool_call>f', '<tool_call>f<arg_key>', 'f\n{"a":'],
  llama: [
    '<|python_tag|>{"name":"f","parameters":{"a":',
    '[f(a="',
    '[f(a=(',
    '\n[f(',
    '{"name":"f","parameters":',
  ],
  kimi: [
    '<|tool_calls_section_begin|>',
    '<|tool_calls_section_begin|><|tool_call_begin|>f:0<|tool_call_argument_begin|>{"a":"',
    '<|tool_call_begin|>f:0<|tool_call_argument_begin|>[',
  ],
  mistral: [
    '[TOOL_CALLS]',
    '[TOOL_CALLS]f{"a":"',
    '[TOOL_CALLS] [{"name":"f","arguments":{"a":[',
    '[TOOL_CALLS]f[ARGS]',
  ],
  openai: [
    '{"name":"f","arguments":{"a":"',
    '{"a":',
    '[{"name":',
    '```json\n{"name": "f"',
    '{"name":"f","arguments":{}} ',
  ],
  harmony: [
    '<|channel|>',
    '<|channel|>commentary to=functions.f<|message|>{"a":"',
    '<|start|>assistant<|channel|>analysis<|message|>x',
    `<|channel|>${' '.repeat(40)}`,
  ],
  minimax: [
    '<minimax:tool_call><invoke name="f"><parameter name="a">x',
    '<minimax:tool_call>',
    '<tool_calls>{"name":"f","arguments":{"a":"',
    '<tool_calls>\n{"name"\n',
  ],
};

/** Texts of a megabyte each that make a careless reader quadratic. */
export function hostileTexts(family: Family): string[] {
  const nested = [
    '['.repeat(MEGABYTE),
    '{"a":'.repeat(MEGABYTE / 5),
    '\\"'.repeat(MEGABYTE / 2),
    ' '.repeat(MEGABYTE),
  ];
  const openings = HOSTILE[family].map((pattern) => pattern.split(/[[{"<]/, 1)[0] || pattern);
  return [
    ...HOSTILE[family].map((pattern) => repeated(pattern, MEGABYTE)),
    ...HOSTILE[family].map((pattern, at) => repeated(`${pattern}\n${openings[at]} "`, MEGABYTE)),
    ...nested.map((text) => `${HOSTILE[family].at(1)}${text}`),
  ];
}

function repeated(pattern: string, length: number): string {
  return pattern.repeat(Math.ceil(length / pattern.length)).slice(0, length);
}
