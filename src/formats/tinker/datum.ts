import { Float } from '../python-json.js';
import { perToken } from '../tokens/per-token.js';
import type { TrainingSequence } from '../tokens/training-sequence.js';
import { type ProvenanceSpan, provenance } from './provenance.js';

interface Tensor {
  data: readonly (number | Float)[];
  dtype: 'int64' | 'float32';
  shape: [number];
}

/** One `Datum` in the JSON of Tinker's SDK; the spans are what its `with_provenance` takes. */
export interface Datum {
  model_input: { chunks: { type: 'encoded_text'; tokens: readonly number[] }[] };
  loss_fn_inputs: Readonly<Record<string, Tensor>>;
  model_input_spans?: readonly ProvenanceSpan[];
  loss_fn_input_spans?: readonly ProvenanceSpan[];
}

/**
 * For `importance_sampling`, `ppo` and their kin: what a position predicts is the id after it, so inputs lose the
 * last id and the others the first. Advantage and log-probability are 0 where nothing is trained.
 */
export function policyDatum(sequence: TrainingSequence, advantageOfTurn: readonly number[]): Datum {
  const logprobs = perToken(sequence, 0, ({ logprobs }, offset) => logprobs?.[offset] as number);
  const advantages = perToken(sequence, 0, ({ turn }) => advantageOfTurn[turn] as number);
  return datum(sequence, { logprobs: floats(logprobs), advantages: floats(advantages) });
}

/** For `cross_entropy`, which needs no log-probabilities: weight 1 on what the model said, 0 elsewhere. */
export function supervisedDatum(sequence: TrainingSequence): Datum {
  return datum(sequence, { weights: floats(perToken(sequence, 0, () => 1)) });
}

function datum(sequence: TrainingSequence, perId: Record<string, Tensor>): Datum {
  const { ids } = sequence;
  const targets: Tensor = { data: ids.slice(1), dtype: 'int64', shape: [ids.length - 1] };
  const shifted = Object.entries(perId).map(([name, { data, dtype }]): [string, Tensor] => [
    name,
    { data: data.slice(1), dtype, shape: [data.length - 1] },
  ]);
  return {
    model_input: { chunks: [{ type: 'encoded_text', tokens: ids.slice(0, -1) }] },
    loss_fn_inputs: { target_tokens: targets, ...Object.fromEntries(shifted) },
    ...provenance(sequence),
  };
}

function floats(values: readonly number[]): Tensor {
  return { data: values.map((value) => new Float(value)), dtype: 'float32', shape: [values.length] };
}
