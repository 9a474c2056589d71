import type { ExportContext } from '../export-format.js';

export interface TrainingOptions {
  /** Groups in which all have the same score are written too. */
  keepZeroVariance: boolean;
  /** Rows for losses that need no log-probabilities of the sampler, of all episodes: none is ever made up. */
  withoutLogprobs: boolean;
}

/** Ids that a tokenizer made have no log-probabilities, so tokenizing implies rows that need none. */
export function trainingOptions({ options }: Pick<ExportContext, 'options'>): TrainingOptions {
  return {
    keepZeroVariance: options.keepZeroVariance === true,
    withoutLogprobs: options.withoutLogprobs === true || typeof options.tokenize === 'string',
  };
}
