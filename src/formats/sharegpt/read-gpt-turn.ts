import { parse } from '../../parsers/parse.js';
import type { OfferedTool } from '../offered-tools.js';
import { type GptTurn, readGptValue } from './read-gpt-value.js';

export type { GptTurn } from './read-gpt-value.js';

/** A `gpt` turn: exactly when it was written by the rules, else as a model's text is read. */
export function readGptTurn(value: string, tools: readonly OfferedTool[]): GptTurn {
  const exact = readGptValue(value);
  if (exact) return exact;
  // Names are kept as they are: a row is a record, not something to run.
  const read = parse(value, { family: 'auto', tools, repairNames: false });
  const failures = read.failures.map(({ raw }) => raw);
  return {
    reasoning: read.reasoning,
    content: [read.content, ...failures].filter((text) => text !== '').join('\n'),
    calls: read.toolCalls.map(({ name, arguments: given }) => ({ name, arguments: JSON.stringify(given) })),
    failures,
  };
}
