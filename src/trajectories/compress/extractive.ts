import { commandOf } from './call-kinds.js';
import type { CountTokens } from './count-tokens.js';
import type { Summariser, SummaryRequest } from './summariser.js';
import { type Call, type Turn, textOf } from './turns.js';

/** How much of each thing is quoted: shorter until the whole fits. */
const QUOTE_CHARS = [160, 80, 40];
const NAMING_FIELDS = ['path', 'file_path', 'pattern', 'query', 'url'];

/** A summary without a model: per turn what was said and called, and the last line that came of it. */
export function extractiveSummariser(count: CountTokens): Summariser {
  return { kind: 'extractive', summarise: async (request) => extract(request, count) };
}

function extract({ turns, maxTokens }: SummaryRequest, count: CountTokens): string {
  for (const chars of QUOTE_CHARS) {
    const text = turns.flatMap((turn) => turnLines(turn, chars)).join('\n');
    if (count(text) <= maxTokens) return text;
  }
  return mostLines(
    turns.map((turn) => turnLines(turn, QUOTE_CHARS.at(-1) as number).join('\n')),
    maxTokens,
    count,
  );
}

/** As many of the newest turns as fit: what came last explains what follows. */
function mostLines(turns: readonly string[], maxTokens: number, count: CountTokens): string {
  let kept = turns.length;
  const text = (): string =>
    [`… ${turns.length - kept} earlier steps …`, ...turns.slice(turns.length - kept)].join('\n');
  while (kept > 1 && count(text()) > maxTokens) kept -= Math.max(1, Math.floor(kept / 16));
  return text();
}

function turnLines({ work, calls }: Turn, chars: number): string[] {
  const said = work.flatMap((message) => (message.role === 'assistant' ? [textOf(message)] : []));
  const words = quote(said.join(' '), chars);
  return [...(words === '' ? [] : [`- ${words}`]), ...calls.map((call) => callLine(call, chars))];
}

function callLine(call: Call, chars: number): string {
  const about = quote(commandOf(call) ?? namedField(call), chars);
  const outcome = quote(lastLine(call.result ?? 'no result'), chars);
  return `- ${call.name}${about === '' ? '' : ` ${about}`} → ${call.failed ? 'failed: ' : ''}${outcome || 'nothing printed'}`;
}

function namedField({ arguments: args }: Call): string {
  const named = NAMING_FIELDS.map((name) => args?.[name]).find((value) => typeof value === 'string');
  return String(named ?? '');
}

function quote(text: string, chars: number): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length <= chars ? flat : `${[...flat].slice(0, chars).join('').trimEnd()}…`;
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';
