import type { Repair } from '../parse-result.js';

const WORDS: Record<Repair['kind'], string> = {
  raw_control_characters: 'raw line breaks or control characters within a text were taken as they are',
  invalid_escape: 'a backslash that JSON does not know was kept as a backslash',
  trailing_comma: 'a comma before a closing bracket was dropped',
  single_quotes: 'single quotes were read as double quotes',
  python_literals: 'True, False, None or a tuple was read as its JSON counterpart',
  unescaped_quotes: 'quotes within a text were not escaped',
  unclosed_json: 'closing brackets were missing at the end',
  surplus_closers: 'closing brackets too many at the end were dropped',
  string_encoded_arguments: 'the arguments were a text that holds JSON',
  flat_arguments: 'the arguments stood beside the name instead of under a key of their own',
  no_arguments: 'no arguments were given; the call has none',
  array_of_calls: 'several calls stood where one belongs',
  missing_close_tag: 'the closing mark was missing',
  code_fence: 'the JSON stood in a code fence',
  kept_as_text: 'a value that is not of the type that the tool asks for was kept as text',
  duplicated_json: 'the same JSON stood there twice; one was dropped',
  name: 'the name was changed',
};

/** A repair of a kind, with what it means in words. */
export function repairOf(kind: Repair['kind'], detail: string = WORDS[kind]): Repair {
  return { kind, detail };
}
