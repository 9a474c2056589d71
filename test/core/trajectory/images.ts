/** The smallest images of each type, whole where a decoder is asked. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
export const GIF = Buffer.from('R0lGODlhAgADAAAAACH5BAEAAAAALAAAAAACAAMAAAICRAEAOw==', 'base64');

/** A JPEG's segments up to the frame header: an application segment first, as cameras write them. */
export const JPEG = Buffer.from([
  0xff, 0xd8, 0xff, 0xe0, 0x00, 0x04, 0x4a, 0x46, 0xff, 0xff, 0xc2, 0x00, 0x11, 0x08, 0x00, 0x05, 0x00, 0x04,
]);

const riff = (...rest: number[]): Buffer =>
  Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), Buffer.from(rest), Buffer.alloc(20)]);
const text = (name: string): number[] => [...Buffer.from(name)];

export const WEBP_LOSSY = riff(...text('VP8 '), 0, 0, 0, 0, 0, 0, 0, 0x9d, 0x01, 0x2a, 6, 0, 7, 0);
export const WEBP_LOSSLESS = riff(...text('VP8L'), 0, 0, 0, 0, 0x2f, 0x07, 0x00, 0x02, 0x00);
export const WEBP_EXTENDED = riff(...text('VP8X'), 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 10, 0, 0);

export const dataUrl = (bytes: Buffer, type = 'image/png'): string =>
  `data:${type};base64,${bytes.toString('base64')}`;
