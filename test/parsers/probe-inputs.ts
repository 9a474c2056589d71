/** Texts of the recorded probes of the JSON formats, and what hermes-agent's parsers made of each. */
export interface Probe {
  family: string;
  title: string;
  text: string;
  /** The recorded outcome of the older parsers: content, and calls or null. */
  recorded: { content: string | null; calls: [name: string, args: string][] | null };
}

const CALL = '<tool_call>{"name":"t","arguments":{}}</tool_call>';
const GOOD = '<tool_call>{"name":"t","arguments":{"a":1}}</tool_call>';
const none = (content: string) => ({ content, calls: null });
const calls = (content: string | null, ...found: [string, string][]) => ({ content, calls: found });

export const PROBES: Probe[] = [
  { family: 'hermes', title: 'plain', text: 'hello', recorded: none('hello') },
  {
    family: 'hermes',
    title: 'one',
    text: 'ok\n<tool_call>\n{"name":"t","arguments":{"a":1}}\n</tool_call>',
    recorded: calls('ok', ['t', '{"a": 1}']),
  },
  {
    family: 'hermes',
    title: 'args as string',
    text: '<tool_call>{"name":"t","arguments":"{\\"a\\":1}"}</tool_call>',
    recorded: calls(null, ['t', '"{\\"a\\":1}"']),
  },
  {
    family: 'hermes',
    title: 'no args',
    text: '<tool_call>{"name":"t"}</tool_call>',
    recorded: calls(null, ['t', '{}']),
  },
  {
    family: 'hermes',
    title: 'unclosed complete json',
    text: '<tool_call>{"name":"t","arguments":{"a":1}}',
    recorded: calls(null, ['t', '{"a": 1}']),
  },
  {
    family: 'hermes',
    title: 'unclosed truncated',
    text: '<tool_call>{"name":"t","arguments":{"a":1}',
    recorded: none('<tool_call>{"name":"t","arguments":{"a":1}'),
  },
  {
    family: 'hermes',
    title: 'one good one bad',
    text: `${GOOD}<tool_call>{"name":"u","arguments":{"a":1}</tool_call>`,
    recorded: none(`${GOOD}<tool_call>{"name":"u","arguments":{"a":1}</tool_call>`),
  },
  {
    family: 'hermes',
    title: 'closing tag inside string',
    text: '<tool_call>{"name":"t","arguments":{"a":"</tool_call>"}}</tool_call>',
    recorded: none('<tool_call>{"name":"t","arguments":{"a":"</tool_call>"}}</tool_call>'),
  },
  {
    family: 'hermes',
    title: 'raw newline in string',
    text: '<tool_call>{"name":"t","arguments":{"a":"x\ny"}}</tool_call>',
    recorded: none('<tool_call>{"name":"t","arguments":{"a":"x\ny"}}</tool_call>'),
  },
  {
    family: 'hermes',
    title: 'single quotes',
    text: "<tool_call>{'name':'t','arguments':{}}</tool_call>",
    recorded: none("<tool_call>{'name':'t','arguments':{}}</tool_call>"),
  },
  {
    family: 'hermes',
    title: 'array json',
    text: '<tool_call>[{"name":"t","arguments":{}}]</tool_call>',
    recorded: none('<tool_call>[{"name":"t","arguments":{}}]</tool_call>'),
  },
  {
    family: 'hermes',
    title: 'in think',
    text: `<think>maybe ${CALL}</think>answer`,
    recorded: calls('<think>maybe', ['t', '{}']),
  },
  {
    family: 'hermes',
    title: 'trailing text',
    text: `${CALL} and then bye`,
    recorded: calls(null, ['t', '{}']),
  },
  {
    family: 'hermes',
    title: 'mention only',
    text: 'use <tool_call> tags',
    recorded: none('use <tool_call> tags'),
  },
  {
    family: 'longcat',
    title: 'one',
    text: '<longcat_tool_call>{"name":"t","arguments":{"a":1}}</longcat_tool_call>',
    recorded: calls(null, ['t', '{"a": 1}']),
  },
  {
    family: 'longcat',
    title: 'no name',
    text: '<longcat_tool_call>{"arguments":{"a":1}}</longcat_tool_call>',
    recorded: none('<longcat_tool_call>{"arguments":{"a":1}}</longcat_tool_call>'),
  },
  {
    family: 'llama3_json',
    title: 'one',
    text: '<|python_tag|>{"name":"f","parameters":{"a":1}}',
    recorded: calls(null, ['f', '{"a": 1}']),
  },
  {
    family: 'llama3_json',
    title: 'two semi',
    text: '{"name":"f","arguments":{"a":1}}; {"name":"g","parameters":{}}',
    recorded: calls(null, ['f', '{"a": 1}'], ['g', '{}']),
  },
  {
    family: 'llama3_json',
    title: 'json in prose',
    text: 'result {"x":1} then {"name":"f","arguments":{}}',
    recorded: calls('result', ['f', '{}']),
  },
  {
    family: 'llama3_json',
    title: 'nested in wrapper',
    text: '{"type":"function","function":{"name":"f","arguments":{}}}',
    recorded: none('{"type":"function","function":{"name":"f","arguments":{}}}'),
  },
  {
    family: 'llama3_json',
    title: 'array',
    text: '[{"name":"f","arguments":{}}]',
    recorded: calls('[', ['f', '{}']),
  },
  {
    family: 'llama3_json',
    title: 'name but params null',
    text: '{"name":"f","parameters":null}',
    recorded: none('{"name":"f","parameters":null}'),
  },
];
