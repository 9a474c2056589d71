import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeSequence, sequenceAdvantages } from '../../../src/formats/atropos-group/encode-sequence.js';
import { Float } from '../../../src/formats/python-json.js';
import { policyDatum, supervisedDatum } from '../../../src/formats/tinker/datum.js';
import type { SampledSpan, TrainingSequence } from '../../../src/formats/tokens/training-sequence.js';

/** A sequence of alternating prompts and spans, some of them masked. */
const sequences = fc
  .array(fc.record({ prompt: fc.nat(4), sampled: fc.nat(4), masked: fc.boolean() }), {
    minLength: 1,
    maxLength: 6,
  })
  .map((turns): TrainingSequence => {
    const ids: number[] = [7];
    const spans = turns.map(({ prompt, sampled, masked }, turn): SampledSpan => {
      const next = () => ids.push(1000 + ids.length);
      for (let i = 0; i < prompt; i++) next();
      const start = ids.length;
      for (let i = 0; i < sampled; i++) next();
      const logprobs = Array.from({ length: sampled }, (_, i) => -(start + i) / 8);
      return { turn, start, length: sampled, logprobs, sequenceId: `s${turn}`, policyVersion: null, masked };
    });
    return { ids, spans };
  });

const numbers = (values: readonly (number | Float)[]) =>
  values.map((value) => (value instanceof Float ? value.value : value));

const isTrained = ({ spans }: TrainingSequence, at: number) =>
  spans.some(({ start, length, masked }) => !masked && at >= start && at < start + length);

it('both encoders train the same positions, Tinker one place earlier than Atropos', () => {
  fc.assert(
    fc.property(sequences, (sequence) => {
      const advantages = sequence.spans.map((_, turn) => turn + 1);
      const atropos = encodeSequence(sequence);
      const { loss_fn_inputs: tinker, model_input } = policyDatum(sequence, advantages);
      const tensor = (name: string) => numbers(tinker[name]?.data ?? []);
      expect(model_input.chunks[0]?.tokens).toEqual(sequence.ids.slice(0, -1));
      expect(tensor('target_tokens')).toEqual(sequence.ids.slice(1));
      for (const [at, id] of sequence.ids.entries()) {
        const trained = isTrained(sequence, at);
        expect([atropos.masks[at], atropos.inferenceLogprobs?.[at]]).toEqual(
          trained ? [id, -at / 8] : [-100, 1],
        );
        if (at > 0)
          expect([tensor('advantages')[at - 1] !== 0, tensor('logprobs')[at - 1]]).toEqual(
            trained ? [true, -at / 8] : [false, 0],
          );
      }
      expect(sequenceAdvantages(sequence, advantages).slice(1)).toEqual(tensor('advantages'));
    }),
  );
});

it('every array is as long as its tokens, and spans tile what they describe', () => {
  fc.assert(
    fc.property(sequences, (sequence) => {
      fc.pre(sequence.ids.length > 1);
      const { masks, inferenceLogprobs } = encodeSequence(sequence);
      expect([masks.length, inferenceLogprobs?.length]).toEqual([sequence.ids.length, sequence.ids.length]);
      for (const datum of [
        policyDatum(
          sequence,
          sequence.spans.map(() => 1),
        ),
        supervisedDatum(sequence),
      ]) {
        const length = sequence.ids.length - 1;
        for (const { data, shape } of Object.values(datum.loss_fn_inputs))
          expect([data.length, shape]).toEqual([length, [length]]);
        for (const runs of [datum.model_input_spans, datum.loss_fn_input_spans]) {
          const covered = runs
            ?.flatMap((run) => Object.values(run))
            .reduce((sum, run) => sum + run.length, 0);
          expect(covered).toBe(length);
        }
      }
    }),
  );
});
