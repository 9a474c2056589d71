import { z } from 'zod';

/** `image_url` and `file` as in OpenAI's chat messages, `image_file` as in its threads; `image` and `audio` as in chat templates. */
export const contentPartSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  /** `image`: a `data:` URL, an http(s) or `file://` URL, or a path. */
  z.object({ type: z.literal('image'), image: z.string() }),
  z.object({
    type: z.literal('image_url'),
    imageUrl: z.object({ url: z.string(), detail: z.string().optional() }),
  }),
  z.object({
    type: z.literal('image_file'),
    imageFile: z.object({ fileId: z.string(), detail: z.string().optional() }),
  }),
  /** `audio`: a source as for images, or base64 data with its format (`wav`, `mp3`). */
  z.object({
    type: z.literal('audio'),
    audio: z.union([z.string(), z.object({ data: z.string(), format: z.string() })]),
  }),
  z.object({
    type: z.literal('file'),
    file: z.object({
      fileData: z.string().optional(),
      fileId: z.string().optional(),
      filename: z.string().optional(),
    }),
  }),
]);
export type ContentPart = z.output<typeof contentPartSchema>;

/** What a message says: text, or parts of several kinds. */
export const contentSchema = z.union([z.string(), z.array(contentPartSchema)]);
export type MessageContent = z.output<typeof contentSchema>;
