import { largest } from '../../core/lists/extremes.js';
import type { SamplingTokenizer } from '../../core/model/chat-tokenizer.js';
import { mix, mixAll, mixText, unit } from './mix.js';
import { type Spelling, Spellings } from './spellings.js';

/** One sampled id beside what could have been sampled in its place; the probabilities add up to 1. */
export interface SampledToken {
  id: number;
  logprob: number;
  /** All that had a probability, this one included, the likeliest first. */
  choices: readonly { id: number; logprob: number }[];
}

export interface SamplingOptions {
  prompt: readonly number[];
  seed: number;
  temperature: number;
  /** Weights of the policy: another version has other logits. */
  weights: number;
  /** Added to the logit of the usual spelling: 0 = all spellings alike, 30 = never another one. */
  usualBias: number;
}

/** Logits differ by so much between the spellings of a text in a context. */
const LOGIT_RANGE = 2;

/**
 * Samples spellings of texts: the next id is drawn from a softmax over all ids that go on with the text. Which
 * text comes is not drawn, as under constrained decoding; its log-probabilities are those of a real distribution
 * all the same, and follow from context and temperature alone.
 */
export class SpellingSampler {
  private readonly spellings: Spellings;

  constructor(private readonly tokenizer: SamplingTokenizer) {
    this.spellings = new Spellings(tokenizer);
  }

  sample(text: string, options: SamplingOptions): SampledToken[] {
    const ways = this.spellings.of(text);
    if (ways === null) return this.tokenizer.encode(text).map(certain);
    const sampled: SampledToken[] = [];
    let context = mixAll(options.weights, options.prompt);
    for (let at = 0; at < text.length; ) {
      const { way, token } = draw(ways(at), context, options);
      sampled.push(token, ...way.ids.slice(1).map(certain));
      context = mixAll(context, way.ids);
      at += way.length;
    }
    return sampled;
  }
}

function draw(ways: readonly Spelling[], context: number, options: SamplingOptions) {
  const { temperature, usualBias, seed } = options;
  const logits = ways.map(
    ({ ids, usual }) => LOGIT_RANGE * unit(mix(context, ids[0] as number)) + (usual ? usualBias : 0),
  );
  const logprobs = logSoftmax(logits, temperature);
  let left = unit(mix(mixText(context, 'draw'), seed));
  let chosen = logprobs.indexOf(largest(logprobs));
  for (const [i, logprob] of logprobs.entries()) {
    left -= Math.exp(logprob);
    if (left >= 0) continue;
    chosen = i;
    break;
  }
  const choices = ways
    .map(({ ids }, i) => ({ id: ids[0] as number, logprob: logprobs[i] as number }))
    .filter(({ logprob }) => logprob > Number.NEGATIVE_INFINITY)
    .sort((a, b) => b.logprob - a.logprob);
  const way = ways[chosen] as Spelling;
  return { way, token: { id: way.ids[0] as number, logprob: logprobs[chosen] as number, choices } };
}

/** Of the logits divided by the temperature; at 0 the likeliest is certain. */
export function logSoftmax(logits: readonly number[], temperature: number): number[] {
  const most = largest(logits);
  if (temperature === 0) {
    const first = logits.indexOf(most);
    return logits.map((_, i) => (i === first ? 0 : Number.NEGATIVE_INFINITY));
  }
  const scaled = logits.map((logit) => (logit - most) / temperature);
  const total = Math.log(scaled.reduce((sum, value) => sum + Math.exp(value), 0));
  return scaled.map((value) => Math.min(0, value - total));
}

/** The only id that could come. */
export const certain = (id: number): SampledToken => ({ id, logprob: 0, choices: [{ id, logprob: 0 }] });
