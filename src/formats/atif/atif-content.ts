import type { ContentPart, MessageContent } from '../../core/trajectory/content.schema.js';
import type { AtifContent } from './atif.schema.js';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/** ATIF has parts of text, and images of four kinds by their place; any other part is named in its place. */
export function toAtifContent(content: MessageContent): AtifContent {
  if (typeof content === 'string') return content;
  return content.map((part) => {
    if (part.type === 'text') return { type: 'text', text: part.text };
    const path = imageSource(part);
    const mediaType = path === null ? null : mediaTypeOf(path);
    if (path === null || mediaType === null) return { type: 'text', text: `[${part.type}]` };
    return { type: 'image', source: { media_type: mediaType, path } };
  });
}

export function fromAtifContent(content: AtifContent): MessageContent {
  if (typeof content === 'string') return content;
  return content.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text } : { type: 'image', image: part.source.path },
  );
}

function imageSource(part: ContentPart): string | null {
  if (part.type === 'image') return part.image;
  return part.type === 'image_url' ? part.imageUrl.url : null;
}

/** Null for data of the message itself as well: ATIF has images as files beside it. */
function mediaTypeOf(source: string): string | null {
  if (source.startsWith('data:')) return null;
  const ending = /\.(\w+)(?:[?#]|$)/.exec(source)?.[1];
  return MEDIA_TYPES[ending?.toLowerCase() ?? ''] ?? null;
}
