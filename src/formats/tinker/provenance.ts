import type { TrainingSequence } from '../tokens/training-sequence.js';

interface Run {
  sequence_id: string;
  /** Where the run begins in the prompt, or in what was sampled. */
  offset: number;
  length: number;
}

/** A run of ids that came from a sampling request: its prompt, or what it sampled. */
export type ProvenanceSpan = { prompt_tokens: Run } | { sampled_tokens: Run };

/** Runs that tile the inputs and the targets of a datum exactly; nothing unless every sampled turn's id is known. */
export function provenance(
  sequence: TrainingSequence,
): { model_input_spans: ProvenanceSpan[]; loss_fn_input_spans: ProvenanceSpan[] } | undefined {
  const runs: TokenRun[] = [];
  let end = 0;
  for (const { start, length, sequenceId } of sequence.spans) {
    if (sequenceId === null) return undefined;
    // A prompt holds the whole sequence before it, so a run begins in it where it begins in the sequence.
    runs.push({ kind: 'prompt', sequenceId, offset: end, length: start - end });
    runs.push({ kind: 'sampled', sequenceId, offset: 0, length });
    end = start + length;
  }
  const filled = runs.filter(({ length }) => length > 0);
  return { model_input_spans: spans(withoutLast(filled)), loss_fn_input_spans: spans(withoutFirst(filled)) };
}

interface TokenRun {
  kind: 'prompt' | 'sampled';
  sequenceId: string;
  offset: number;
  length: number;
}

function withoutFirst([first, ...rest]: readonly TokenRun[]): TokenRun[] {
  if (first === undefined) return [];
  return [{ ...first, offset: first.offset + 1, length: first.length - 1 }, ...rest];
}

function withoutLast(runs: readonly TokenRun[]): TokenRun[] {
  const last = runs.at(-1);
  return last === undefined ? [] : [...runs.slice(0, -1), { ...last, length: last.length - 1 }];
}

function spans(runs: readonly TokenRun[]): ProvenanceSpan[] {
  return runs
    .filter(({ length }) => length > 0)
    .map(({ kind, sequenceId, offset, length }) => {
      const run = { sequence_id: sequenceId, offset, length };
      return kind === 'prompt' ? { prompt_tokens: run } : { sampled_tokens: run };
    });
}
