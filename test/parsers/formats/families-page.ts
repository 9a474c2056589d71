import { FAMILY_FORMATS } from '../../../src/parsers/families.js';
import { FAMILIES, type Family, parse } from '../../../src/parsers/index.js';
import { RECORDED_SAMPLES } from './recorded-samples.js';

const TOOLS = [
  {
    name: 'terminal',
    description: '',
    parameters: { type: 'object', properties: { command: { type: 'string' } } },
  },
];

/** Where each family's models say what they think; every family reads all of these. */
const REASONING: Record<Family, string> = {
  hermes: '`<reasoning>`, `<REASONING_SCRATCHPAD>`',
  qwen: '`<think>`, or none',
  deepseek: '`<think>`',
  glm: '`<think>`, or none',
  llama: 'none',
  kimi: '`<think>`, `◁think▷`',
  mistral: '`[THINK]`, or none',
  openai: 'none',
  harmony: 'the `analysis` channel',
  minimax: '`<think>`',
};

/** docs/families.md, made from the formats and the samples. */
export function familiesPage(): string {
  const rows = FAMILIES.map((family) => {
    const formats = FAMILY_FORMATS[family].map(({ name }) => `[${name}](#${anchor(name)})`);
    return `| \`${family}\` | ${formats.join(', ')} | ${REASONING[family]} |`;
  });
  const sections = RECORDED_SAMPLES.map(({ format, models, text }) => section(format, models, text));
  return [INTRODUCTION, TABLE_HEAD, ...rows, '', RULES, '## Formats\n', ...sections].join('\n');
}

const anchor = (name: string): string => name.replaceAll('.', '');

function section(format: string, models: string, text: string): string {
  const found = Object.values(FAMILY_FORMATS)
    .flat()
    .find(({ name }) => name === format);
  const marks = (found?.markers ?? []).map((mark) => `\`${mark}\``).join(', ');
  const { toolCalls, reasoning } = parse(text, { family: found?.family ?? 'auto', tools: TOOLS });
  const calls = toolCalls.map((call) => `\`${call.name}\` with \`${JSON.stringify(call.arguments)}\``);
  const read = [
    calls.join(', '),
    ...toolCalls.flatMap(({ nativeId }) => (nativeId === null ? [] : [`its own id \`${nativeId}\``])),
    ...(reasoning === null ? [] : [`reasoning \`${reasoning}\``]),
  ];
  return [
    `### ${format}\n`,
    `${models}. ${marks === '' ? 'No marks.' : `Begins with ${marks}.`}\n`,
    `\`\`\`\`text\n${text}\n\`\`\`\`\n`,
    `Read as ${read.join(', ')}.\n`,
  ].join('\n');
}

const TABLE_HEAD =
  '| family | formats, the one that is written by default first | reasoning |\n|---|---|---|';

const INTRODUCTION = `# Model families

Made from the code and its samples by \`npx vitest run test/parsers/formats/families-page.test.ts -u\`; do not edit by hand.

Where a model's answer is text, longrun reads the tool calls in it. The family says what to expect first; a text in
another family's format is read all the same and reported as a mismatch, and \`auto\` finds the family from the text.
An unknown family is read as \`openai\`, and the result says so.
`;

const RULES = `All families read all reasoning tags: \`<think>\`, \`<thinking>\`, \`<thought>\`, \`<reasoning>\`, \`<REASONING_SCRATCHPAD>\` in any
case, \`[THINK]\`, \`◁think▷\`. A call within one is reasoning and is not run; in harmony a message to a tool is a call in any channel.

## What is read how

* **A call that is not whole is not run.** Where the text ends in the middle of a value the call is a failure (\`truncated\`), with
  its raw text. Where only closing marks are missing it is run, marked \`missing_close_tag\`. What is broken (\`bad_json\`, \`malformed\`,
  \`no_name\`, \`not_an_object\`) is a failure too, and takes no other call with it; nothing becomes \`{}\` silently.
* **Values in tags** (qwen-coder, glm-xml, minimax-m2, deepseek-dsml) are typed by the tool's JSON Schema. A string stays the text it
  is, white space included (in qwen-coder one line break at each end belongs to the format). Everything else is read as JSON, and as
  the JSON that \`True\`, \`None\`, single quotes or a trailing comma stand for, with a repair. Where a string is one of several
  alternatives the others are tried first, as strict JSON. What does not fit is kept as text, marked \`kept_as_text\`. Without a schema
  only \`true\`, \`false\`, \`null\`, numbers and sound JSON arrays and objects are more than text; \`007\`, \`"q"\` and \`None\` are text.
* **Closing tags within a value** are text. A value ends at the closing tag behind which the call goes on: another parameter, or the
  end of the call. Whole calls that are quoted in a value are passed over. A parameter whose closing tag is missing ends at the next
  parameter that the schema knows and that was not given yet, or at the end of the call.
* **Names with dots** (\`functions.mcp.search:0\`): the prefix \`functions.\` and the index are no part of the name, further dots are,
  unless the whole is no tool's name and its last part is. The model's own id is kept as \`nativeId\` beside an id that is unique.
* **Text around calls** stays in the content, also between the calls of a section.
* **Calls without marks** (bare-json, glm4-json, llama-pythonic) count in a text that has no marked ones, where they are all of the
  text or name a known tool. Python notation is read as literals; nothing of it is evaluated.

## What is written

\`renderToolCalls(family, calls)\` is the inverse: reading gives the same calls back, given the tools' schemas for values in tags.
Marks within JSON texts are written with \`\\u\` escapes. Tags have no escape: where a text holds one that would end the value or
begin another (\`<parameter=\`, \`</parameter>\` before \`</function>\`, \`<function=\` and their like in the other dialects), its \`<\` is
written \`&lt;\` and stays that. mistral-named writes a \`[CALL_ID]\` only for ids of nine letters and digits.
`;
