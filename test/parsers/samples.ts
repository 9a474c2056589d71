/** One text in every format, as its family writes it: prose, then f with a = 1. */
export const SAMPLES: { family: string; title: string; text: string }[] = [
  {
    family: 'hermes',
    title: 'JSON in a tag',
    text: '<reasoning>Hm.</reasoning>On it.\n<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
  },
  {
    family: 'hermes',
    title: 'LongCat tag',
    text: 'On it.\n<longcat_tool_call>{"name": "f", "arguments": {"a": 1}}</longcat_tool_call>',
  },
  {
    family: 'qwen',
    title: 'JSON in a tag',
    text: '<think>\nHm.\n</think>\n\nOn it.\n<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
  },
  {
    family: 'qwen',
    title: 'Coder XML',
    text: 'On it.\n<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>',
  },
  {
    family: 'deepseek',
    title: 'JSON in a tag',
    text: 'Hm.\n</think>\n\nOn it.\n<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>',
  },
  {
    family: 'deepseek',
    title: 'V3',
    text: 'On it.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a": 1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  },
  {
    family: 'deepseek',
    title: 'V3.1',
    text: 'On it.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{"a": 1}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  },
  {
    family: 'glm',
    title: '4.5',
    text: '<think>Hm.</think>On it.\n<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>',
  },
  {
    family: 'glm',
    title: '4.7',
    text: 'On it.<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>',
  },
  {
    family: 'llama',
    title: 'JSON behind the tag',
    text: 'On it.<|python_tag|>{"name": "f", "parameters": {"a": 1}}',
  },
  {
    family: 'kimi',
    title: 'K2',
    text: '◁think▷Hm.◁/think▷On it.<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a": 1}<|tool_call_end|><|tool_calls_section_end|>',
  },
  { family: 'mistral', title: 'pre-v11', text: 'On it.[TOOL_CALLS] [{"name": "f", "arguments": {"a": 1}}]' },
  { family: 'mistral', title: 'v11', text: '[THINK]Hm.[/THINK]On it.[TOOL_CALLS]f{"a": 1}' },
  { family: 'mistral', title: '[ARGS]', text: 'On it.[TOOL_CALLS]f[CALL_ID]123456789[ARGS]{"a": 1}' },
  {
    family: 'harmony',
    title: 'channels',
    text: '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": 1}<|call|>',
  },
  { family: 'openai', title: 'JSON in prose', text: 'On it: {"name": "f", "arguments": {"a": 1}}' },
  {
    family: 'openai',
    title: 'JSON in a fence',
    text: 'On it:\n```json\n{"name": "f", "arguments": {"a": 1}}\n```',
  },
  {
    family: 'openai',
    title: 'an API message',
    text: '{"role": "assistant", "content": "On it.", "tool_calls": [{"id": "x", "type": "function", "function": {"name": "f", "arguments": "{\\"a\\": 1}"}}]}',
  },
];
