/** What becomes of one entry at the trainer. Keys that no consumer knows pass through the server unchanged. */
export interface EntryOverrides {
  rollout_id: string;
  sample: number;
  attempt: number | null;
  /** Which of the rollout's training sequences this is, from 0; null of a filler. */
  sequence: number | null;
  /** Training sequences that the rollout has. */
  sequences: number;
  /** Of the turns in it, each once; null = unknown. */
  policy_versions: (string | null)[];
  /** Versions of the policy that have come since the rollout began. */
  lag: number | null;
  /** The reward of the rollout, of which `scores` has the group's mean where it is null. */
  reward: number | null;
  /** After centring, so that the entry stays in the baseline. */
  set_advantage_to_zero?: true;
  /** Why nothing of it is trained. */
  filler?: string;
}

/** Which group this is a part of. */
export interface GroupOverrides {
  group_id: string;
  /** Entries of this item. */
  group_size: number;
  run_id: string;
  task_id: string;
  index: number;
  /** A group becomes as many items as a rollout of it has training sequences at most; this is one, from 0. */
  item: number;
  items: number;
  environment: string | null;
  model: string | null;
  estimator: string;
  policy_versions: (string | null)[];
  /** Members with a score, and the moments of their rewards. */
  scored: number;
  mean: number | null;
  std: number | null;
  /** How it got here, where a peer may have it twice. */
  delivery?: Readonly<Record<string, unknown>>;
}

/**
 * A `ScoredData` of Atropos: lists of one length, an entry per member of the group, and in each entry lists as long
 * as its tokens.
 */
export interface ScoredItem {
  tokens: (readonly number[])[];
  /** The token id where it is trained, else -100. */
  masks: number[][];
  scores: number[];
  advantages: number[][] | null;
  ref_logprobs: null;
  /** The sampler's where it is trained, else 1. */
  inference_logprobs: number[][];
  messages: null;
  generation_params: { temperature: number } | null;
  overrides: EntryOverrides[];
  group_overrides: GroupOverrides;
  images: null;
}
