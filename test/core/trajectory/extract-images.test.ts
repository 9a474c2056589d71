import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Chat } from '../../../src/core/trajectory/chat.js';
import { readImageHeader } from '../../../src/core/trajectory/image-header.js';
import type { TrajectoryMessage } from '../../../src/core/trajectory/trajectory.schema.js';
import { user } from './fixtures.js';
import { GIF, JPEG, PNG, WEBP_EXTENDED, WEBP_LOSSLESS, WEBP_LOSSY } from './images.js';

const FILES: Record<string, Uint8Array> = {
  'a.png': PNG,
  'https://x.org/b.gif': GIF,
  'c.txt': Buffer.from('text'),
};

async function extract(content: TrajectoryMessage['content'], more: TrajectoryMessage[] = []) {
  const warnings: string[] = [];
  const chat = Chat.of({ messages: [{ role: 'user', content, label: null }, ...more] });
  const loader = {
    async load(source: string) {
      const found = FILES[source];
      if (!found) throw new Error('there is no such file');
      return found;
    },
  };
  const options = { loader, onWarning: (text: string) => warnings.push(text) };
  const images = await chat.extractImages(options);
  return { images, bytes: await chat.extractImages({ ...options, asBytes: true }), warnings };
}

describe('the images of a chat', () => {
  it('come in the order of the messages, with type and size, or as bytes alone', async () => {
    const { images, bytes, warnings } = await extract(
      [
        { type: 'image_url', imageUrl: { url: 'https://x.org/b.gif' } },
        { type: 'text', text: 'a.png' },
      ],
      [user('a.png'), { ...user(), content: [{ type: 'image', image: 'a.png' }] }],
    );
    expect(images).toEqual([
      { source: 'https://x.org/b.gif', mediaType: 'image/gif', width: 2, height: 3, bytes: GIF },
      { source: 'a.png', mediaType: 'image/png', width: 1, height: 1, bytes: PNG },
    ]);
    expect(bytes).toEqual([GIF, PNG]);
    expect(warnings).toEqual([]);
  });

  it('that cannot be had are left out, each with a warning', async () => {
    const long = `data:image/png;base64,${'A'.repeat(5_000)}`;
    const { images, warnings } = await extract([
      { type: 'image', image: 'missing.png' },
      { type: 'image', image: 'c.txt' },
      { type: 'image_file', imageFile: { fileId: 'file-1' } },
      { type: 'image', image: long },
      { type: 'image', image: 'a.png' },
    ]);
    expect(images.map(({ source }) => source)).toEqual(['a.png']);
    // Asked twice: for images and for bytes.
    expect(warnings.slice(0, 4)).toEqual([
      'image missing.png is left out: there is no such file',
      'image c.txt is left out: it is no PNG, JPEG, GIF or WebP',
      'image_file file-1 is left out: not yet supported',
      expect.stringMatching(/^image data:image\/png;base64,A{58}… is left out/),
    ]);
  });
});

describe('an image’s header', () => {
  it.each([
    ['PNG', PNG, 'image/png', 1, 1],
    ['GIF', GIF, 'image/gif', 2, 3],
    ['JPEG', JPEG, 'image/jpeg', 4, 5],
    ['lossy WebP', WEBP_LOSSY, 'image/webp', 6, 7],
    ['lossless WebP', WEBP_LOSSLESS, 'image/webp', 8, 9],
    ['extended WebP', WEBP_EXTENDED, 'image/webp', 10, 11],
  ] as const)('of a %s tells type and size', (_, bytes, mediaType, width, height) => {
    expect(readImageHeader(bytes)).toEqual({ mediaType, width, height });
  });

  it('that is cut off, or of anything else, is none', () => {
    const anyStart = fc
      .constantFrom(PNG, GIF, JPEG, WEBP_LOSSY, WEBP_LOSSLESS)
      .chain((bytes) => fc.nat({ max: 9 }).map((length) => bytes.subarray(0, length)));
    fc.assert(
      fc.property(fc.oneof(anyStart, fc.uint8Array({ max: 40 })), (bytes) => {
        expect(readImageHeader(bytes)).toBeNull();
      }),
    );
  });
});
