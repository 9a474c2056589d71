import type { SampledSpan, TrainingSequence } from './training-sequence.js';

/**
 * One value per id of a sequence: `untrained` for prompts and masked spans, else what `trained` answers for the
 * `offset`th id of a span. The encoders differ in these two values only, so that none can shift a mask alone.
 */
export function perToken<T>(
  sequence: TrainingSequence,
  untrained: T,
  trained: (span: SampledSpan, offset: number, id: number) => T,
): T[] {
  const values = new Array<T>(sequence.ids.length).fill(untrained);
  for (const span of sequence.spans) {
    if (span.masked) continue;
    for (let offset = 0; offset < span.length; offset++) {
      const at = span.start + offset;
      values[at] = trained(span, offset, sequence.ids[at] as number);
    }
  }
  return values;
}
