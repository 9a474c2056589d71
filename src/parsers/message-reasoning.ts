import { isRecord } from './calls/json-calls.js';

/** Where APIs put the text of one piece of reasoning. */
const DETAIL_KEYS = ['summary', 'thinking', 'content', 'text'] as const;
const TYPED = new Set(['thinking', 'reasoning']);

/**
 * All reasoning that a message carries beside its text: `reasoning`, `reasoning_content`, every one
 * of `reasoning_details[]`, typed thinking blocks. What several fields repeat is there once.
 */
export function messageReasoning(message: Record<string, unknown>): string[] {
  const details = Array.isArray(message.reasoning_details) ? message.reasoning_details : [];
  const blocks = Array.isArray(message.content) ? message.content.filter(isThinking) : [];
  const found = [
    message.reasoning,
    message.reasoning_content,
    ...joined(details.map(detailText)),
    ...joined(blocks.map(detailText)),
  ];
  const texts = found.filter((text): text is string => typeof text === 'string' && text.trim() !== '');
  const kept: string[] = [];
  for (const text of texts.map((one) => one.trim()))
    if (!kept.some((other) => withoutSpace(other).includes(withoutSpace(text)))) kept.push(text);
  return kept;
}

/** One field may hold in pieces what another holds whole. */
function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}

/** The text of a message whose content is a string or a list of typed parts; thinking left out. */
export function messageText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .filter((part) => !isThinking(part))
    .map((part) =>
      typeof part === 'string' ? part : isRecord(part) && typeof part.text === 'string' ? part.text : '',
    )
    .join('');
}

function isThinking(part: unknown): boolean {
  return isRecord(part) && typeof part.type === 'string' && TYPED.has(part.type);
}

function detailText(detail: unknown): string {
  if (typeof detail === 'string') return detail;
  if (!isRecord(detail)) return '';
  for (const key of DETAIL_KEYS) {
    const value = detail[key];
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (Array.isArray(value) && value.length > 0) return joined(value.map(detailText))[0] ?? '';
  }
  return '';
}

/** Pieces of one list are one stretch of reasoning, which another field may hold as a whole. */
function joined(texts: string[]): string[] {
  const said = texts.filter((text) => text.trim() !== '');
  return said.length === 0 ? [] : [said.join('\n\n')];
}
