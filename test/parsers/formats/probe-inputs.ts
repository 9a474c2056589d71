import type { Probe } from '../probe-inputs.js';

/** Texts of the recorded probes of the tag and token formats, and what hermes-agent's parsers made of each. */
export const PROBES: Probe[] = [
  {
    family: 'deepseek_v3',
    title: 'one',
    text: 'hi<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a":1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    recorded: { content: 'hi', calls: [['f', '{"a":1}']] },
  },
  {
    family: 'deepseek_v3',
    title: 'no end token',
    text: 'hi<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a":1}\n```',
    recorded: {
      content: 'hi<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a":1}\n```',
      calls: null,
    },
  },
  {
    family: 'deepseek_v3',
    title: 'bad json kept raw',
    text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a":\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    recorded: { content: null, calls: [['f', '{"a":']] },
  },
  {
    family: 'deepseek_v3',
    title: 'args containing fence',
    text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a":"```x```"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    recorded: { content: null, calls: [['f', '{"a":"```x```"}']] },
  },
  {
    family: 'deepseek_v3_1',
    title: 'one',
    text: 'hi<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{"a":1}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    recorded: { content: 'hi', calls: [['f', '{"a":1}']] },
  },
  {
    family: 'deepseek_v3_1',
    title: 'v3 text in v31 parser',
    text: 'hi<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a":1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    recorded: { content: 'hi', calls: [['function', 'f\n```json\n{"a":1}\n```']] },
  },
  {
    family: 'qwen3_coder',
    title: 'one',
    text: 't\n<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n<parameter=b>\nhi\n</parameter>\n</function>\n</tool_call>',
    recorded: { content: 't', calls: [['f', '{"a": 1, "b": "hi"}']] },
  },
  {
    family: 'qwen3_coder',
    title: 'types',
    text: '<tool_call><function=f><parameter=a>true</parameter><parameter=b>None</parameter><parameter=c>[1,2]</parameter><parameter=d>"q"</parameter><parameter=e>007</parameter><parameter=f>(1,2)</parameter><parameter=g>1e5</parameter></function></tool_call>',
    recorded: {
      content: null,
      calls: [['f', '{"a": true, "b": null, "c": [1, 2], "d": "q", "e": "007", "f": [1, 2], "g": 100000.0}']],
    },
  },
  {
    family: 'qwen3_coder',
    title: 'multiline str',
    text: '<tool_call><function=f><parameter=a>\n  line1\n    line2\n</parameter></function></tool_call>',
    recorded: { content: null, calls: [['f', '{"a": "line1\\n    line2"}']] },
  },
  {
    family: 'qwen3_coder',
    title: 'no tool_call tag',
    text: 'text <function=f><parameter=a>x</parameter></function>',
    recorded: { content: 'text', calls: [['f', '{"a": "x"}']] },
  },
  {
    family: 'qwen3_coder',
    title: 'missing param close',
    text: '<tool_call><function=f><parameter=a>x<parameter=b>y</function></tool_call>',
    recorded: { content: null, calls: [['f', '{"a": "x", "b": "y"}']] },
  },
  {
    family: 'qwen3_coder',
    title: 'unclosed',
    text: '<tool_call><function=f><parameter=a>x',
    recorded: { content: null, calls: [['f', '{"a": "x"}']] },
  },
  {
    family: 'qwen3_coder',
    title: 'no params',
    text: '<tool_call><function=f></function></tool_call>',
    recorded: { content: null, calls: [['f', '{}']] },
  },
  {
    family: 'qwen3_coder',
    title: 'set-literal',
    text: '<tool_call><function=f><parameter=a>{1,2}</parameter></function></tool_call>',
    recorded: {
      content: '<tool_call><function=f><parameter=a>{1,2}</parameter></function></tool_call>',
      calls: null,
    },
  },
  {
    family: 'qwen3_coder',
    title: 'value has </parameter>',
    text: '<tool_call><function=f><parameter=a>echo "</parameter>" x</parameter></function></tool_call>',
    recorded: { content: null, calls: [['f', '{"a": "echo \\""}']] },
  },
  {
    family: 'glm45',
    title: 'one',
    text: 'hi <tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n<arg_key>b</arg_key>\n<arg_value>xx</arg_value>\n</tool_call>',
    recorded: { content: 'hi', calls: [['f', '{"a": 1, "b": "xx"}']] },
  },
  {
    family: 'glm45',
    title: 'no newline (4.7 style)',
    text: '<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>',
    recorded: {
      content: '<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>',
      calls: null,
    },
  },
  {
    family: 'glm45',
    title: 'no args',
    text: '<tool_call>f\n</tool_call>',
    recorded: { content: null, calls: [['f', '{}']] },
  },
  {
    family: 'glm45',
    title: 'unclosed',
    text: '<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>',
    recorded: { content: '<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>', calls: null },
  },
  {
    family: 'glm47',
    title: '4.7',
    text: '<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value><arg_key>b</arg_key><arg_value>x</arg_value></tool_call>',
    recorded: { content: null, calls: [['f', '{"a": 1, "b": "x"}']] },
  },
  {
    family: 'glm47',
    title: '4.5 style',
    text: '<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>',
    recorded: { content: null, calls: [['f', '{"a": 1}']] },
  },
  {
    family: 'glm47',
    title: 'no args',
    text: '<tool_call>f</tool_call>',
    recorded: { content: null, calls: [['f', '{}']] },
  },
  {
    family: 'kimi_k2',
    title: 'one',
    text: 'hi<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a":1}<|tool_call_end|><|tool_calls_section_end|>',
    recorded: { content: 'hi', calls: [['f', '{"a":1}']] },
  },
  {
    family: 'kimi_k2',
    title: 'singular',
    text: '<|tool_call_section_begin|><|tool_call_begin|>f:3<|tool_call_argument_begin|>{"a":1}<|tool_call_end|>',
    recorded: { content: null, calls: [['f', '{"a":1}']] },
  },
  {
    family: 'kimi_k2',
    title: 'no section',
    text: '<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>',
    recorded: {
      content: '<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>',
      calls: null,
    },
  },
  {
    family: 'kimi_k2',
    title: 'dotted',
    text: '<|tool_calls_section_begin|><|tool_call_begin|>functions.mcp.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>',
    recorded: { content: null, calls: [['f', '{}']] },
  },
  {
    family: 'kimi_k2',
    title: 'no index',
    text: '<|tool_calls_section_begin|><|tool_call_begin|>functions.f<|tool_call_argument_begin|>{}<|tool_call_end|>',
    recorded: {
      content:
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.f<|tool_call_argument_begin|>{}<|tool_call_end|>',
      calls: null,
    },
  },
  {
    family: 'mistral',
    title: 'pre11',
    text: 'hi[TOOL_CALLS] [{"name":"f","arguments":{"a":1}},{"name":"g","arguments":{}}]',
    recorded: {
      content: 'hi',
      calls: [
        ['f', '{"a": 1}'],
        ['g', '{}'],
      ],
    },
  },
  {
    family: 'mistral',
    title: 'single obj',
    text: '[TOOL_CALLS]{"name":"f","arguments":{"a":1}}',
    recorded: { content: null, calls: [['f', '{"a": 1}']] },
  },
  {
    family: 'mistral',
    title: 'v11',
    text: 'x[TOOL_CALLS]f{"a":1}[TOOL_CALLS]g{"b":2}',
    recorded: {
      content: 'x',
      calls: [
        ['f', '{"a": 1}'],
        ['g', '{"b": 2}'],
      ],
    },
  },
  {
    family: 'mistral',
    title: 'v13 with [ARGS]',
    text: '[TOOL_CALLS]f[CALL_ID]123456789[ARGS]{"a":1}',
    recorded: { content: null, calls: [['f[CALL_ID]123456789[ARGS]', '{"a": 1}']] },
  },
  {
    family: 'mistral',
    title: 'pre11 trailing',
    text: '[TOOL_CALLS] [{"name":"f","arguments":{}}] done',
    recorded: { content: '[TOOL_CALLS] [{"name":"f","arguments":{}}] done', calls: null },
  },
  {
    family: 'mistral',
    title: 'v11 bad json',
    text: '[TOOL_CALLS]f{"a":',
    recorded: { content: null, calls: [['f', '{"a":']] },
  },
  {
    family: 'mistral',
    title: 'args string',
    text: '[TOOL_CALLS][{"name":"f","arguments":"{\\"a\\":1}"}]',
    recorded: { content: null, calls: [['f', '{"a":1}']] },
  },
];
