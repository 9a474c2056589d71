import { LongrunError } from '../errors.js';
import { type ImageHeader, readImageHeader } from './image-header.js';
import type { TrajectoryMessage } from './trajectory.schema.js';

/** Brings the bytes of an image: `data:image`, http(s) and `file://` URLs, paths. It holds the limits, and throws what it refuses. */
export interface ImageLoader {
  load(source: string): Promise<Uint8Array>;
}

/** An image of a known type, still encoded; `width` and `height` in pixels. */
export interface ExtractedImage extends ImageHeader {
  source: string;
  bytes: Uint8Array;
}

export interface ExtractImagesOptions {
  loader: ImageLoader;
  /** Told of every image that is left out. */
  onWarning?(message: string): void;
}

const SHOWN_CHARS = 80;

/** The images of messages in their order: PNG, JPEG, GIF, WebP. One that cannot be had is left out, with a warning. */
export async function extractImages(
  messages: readonly TrajectoryMessage[],
  { loader, onWarning = () => undefined }: ExtractImagesOptions,
): Promise<ExtractedImage[]> {
  const images: ExtractedImage[] = [];
  for (const part of messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))) {
    if (part.type === 'image_file') {
      onWarning(`image_file ${part.imageFile.fileId} is left out: not yet supported`);
      continue;
    }
    const source = part.type === 'image' ? part.image : part.type === 'image_url' ? part.imageUrl.url : null;
    if (source === null) continue;
    try {
      images.push(imageOf(source, await loader.load(source)));
    } catch (cause) {
      const reason = (cause instanceof Error && cause.message) || String(cause);
      onWarning(`image ${shown(source)} is left out: ${reason}`);
    }
  }
  return images;
}

function imageOf(source: string, bytes: Uint8Array): ExtractedImage {
  const header = readImageHeader(bytes);
  if (header !== null) return { source, ...header, bytes };
  throw new LongrunError('bad_input', 'it is no PNG, JPEG, GIF or WebP');
}

const shown = (source: string): string =>
  source.length > SHOWN_CHARS ? `${source.slice(0, SHOWN_CHARS)}…` : source;
