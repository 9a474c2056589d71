/** One text in each format, as models write it: a word of prose where the format has room for it, then a call. */
export interface RecordedSample {
  format: string;
  /** Whose format it is. */
  models: string;
  text: string;
}

export const RECORDED_SAMPLES: RecordedSample[] = [
  {
    format: 'tag-json',
    models: 'Hermes, Qwen 2.5 and 3, DeepSeek R1 distillations',
    text: 'Let me look.\n<tool_call>\n{"name": "terminal", "arguments": {"command": "ls -la"}}\n</tool_call>',
  },
  {
    format: 'longcat-json',
    models: 'LongCat',
    text: '<longcat_tool_call>{"name": "terminal", "arguments": {"command": "ls -la"}}</longcat_tool_call>',
  },
  {
    format: 'qwen-coder',
    models: 'Qwen3-Coder, Qwen3-Next, Qwen 3.5',
    text: '<tool_call>\n<function=terminal>\n<parameter=command>\nls -la\n</parameter>\n</function>\n</tool_call>',
  },
  {
    format: 'deepseek-v3.1',
    models: 'DeepSeek V3.1',
    text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>terminal<｜tool▁sep｜>{"command":"ls -la"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  },
  {
    format: 'deepseek-v3',
    models: 'DeepSeek V3, R1',
    text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>terminal\n```json\n{"command":"ls -la"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  },
  {
    format: 'deepseek-dsml',
    models: 'DeepSeek V3.2 (`function_calls`) and V4 (`tool_calls`)',
    text: '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="terminal">\n<｜DSML｜parameter name="command" string="true">ls -la</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
  },
  {
    format: 'glm-xml',
    models: 'GLM 4.5, 4.6, 4.7',
    text: '<tool_call>terminal\n<arg_key>command</arg_key>\n<arg_value>ls -la</arg_value>\n</tool_call>',
  },
  { format: 'glm4-json', models: 'GLM-4', text: 'terminal\n{"command": "ls -la"}' },
  {
    format: 'python-tag-json',
    models: 'Llama 3.1, 3.3',
    text: '<|python_tag|>{"name": "terminal", "parameters": {"command": "ls -la"}}',
  },
  { format: 'llama-pythonic', models: 'Llama 4, Llama 3.2', text: '[terminal(command="ls -la")]' },
  {
    format: 'kimi-k2',
    models: 'Kimi K2',
    text: '<|tool_calls_section_begin|><|tool_call_begin|>functions.terminal:0<|tool_call_argument_begin|>{"command": "ls -la"}<|tool_call_end|><|tool_calls_section_end|>',
  },
  {
    format: 'mistral-named',
    models: 'Mistral, tokenizer v11 and later',
    text: '[TOOL_CALLS]terminal[CALL_ID]9bf3a1c2d[ARGS]{"command": "ls -la"}',
  },
  {
    format: 'mistral-json',
    models: 'Mistral, tokenizer up to v7',
    text: '[TOOL_CALLS] [{"name": "terminal", "arguments": {"command": "ls -la"}}]',
  },
  {
    format: 'harmony',
    models: 'gpt-oss',
    text: '<|channel|>analysis<|message|>I should look.<|end|><|start|>assistant<|channel|>commentary to=functions.terminal <|constrain|>json<|message|>{"command": "ls -la"}<|call|>',
  },
  {
    format: 'minimax-m2',
    models: 'MiniMax M2, M2.1, M2.5',
    text: '<minimax:tool_call>\n<invoke name="terminal">\n<parameter name="command">ls -la</parameter>\n</invoke>\n</minimax:tool_call>',
  },
  {
    format: 'minimax-m1',
    models: 'MiniMax M1',
    text: '<tool_calls>\n{"name": "terminal", "arguments": {"command": "ls -la"}}\n</tool_calls>',
  },
  {
    format: 'bare-json',
    models: 'whatever answers like the OpenAI API, Kimi 1.5, Llama 3 without its tag',
    text: '{"tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "terminal", "arguments": "{\\"command\\": \\"ls -la\\"}"}}]}',
  },
];
