import type { MessageContent } from '../core/trajectory/content.schema.js';

/** The text of a message; of what is no text only the kind stays: `[image]`. */
export function contentText(content: MessageContent): string {
  if (typeof content === 'string') return content;
  return content
    .map((part) => (part.type === 'text' ? part.text : `[${part.type.replace('_url', '')}]`))
    .join('\n');
}

/** Whether `contentText` leaves something out. */
export function hasMoreThanText(content: MessageContent): boolean {
  return typeof content !== 'string' && content.some(({ type }) => type !== 'text');
}
