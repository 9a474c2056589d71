import { z } from 'zod';

const content = z
  .union([z.string(), z.array(z.looseObject({ text: z.string().nullish() }))])
  .nullish()
  .transform((value) =>
    Array.isArray(value) ? value.map((part) => part.text ?? '').join('') : (value ?? ''),
  );

/** The part of a chat completion request that a scripted model looks at. */
export const wireRequestSchema = z.looseObject({
  model: z.string(),
  messages: z
    .array(
      z.looseObject({
        role: z.string(),
        content,
        tool_calls: z.array(z.looseObject({ id: z.string() })).nullish(),
      }),
    )
    .min(1),
  tools: z.array(z.unknown()).nullish(),
  seed: z.number().nullish(),
  stream: z.boolean().nullish(),
});
export type WireRequest = z.infer<typeof wireRequestSchema>;
