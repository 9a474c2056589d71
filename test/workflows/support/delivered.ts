import { batchName } from '../../../src/sinks/tinker/batch-folder.js';
import { contentOf, rowsOf } from '../../trajectories/process/folder.js';

/** One turn as a trainer gets it. */
export interface Stretch {
  ids: number[];
  logprobs: number[];
}

/** One training sequence of a rollout. */
export interface DeliveredSequence {
  groupId: string;
  rolloutId: string;
  /** Of how many of its rollout it is which, from 0. */
  sequence: number;
  sequences: number;
  stretches: Stretch[];
}

interface AtroposRow {
  masks: number[][];
  inference_logprobs: number[][];
  overrides: { sample: number; sequence: number; sequences: number }[];
  group_overrides: { group_id: string; run_id: string; task_id: string };
}

/** What is in the rows of a folder of `--jsonl`. */
export function atroposSequences(folder: string): DeliveredSequence[] {
  const rows = rowsOf(folder, 'atropos-group.jsonl') as unknown as AtroposRow[];
  return rows.flatMap(({ masks, inference_logprobs, overrides, group_overrides }) =>
    overrides.map(({ sample, sequence, sequences }, i) => ({
      groupId: group_overrides.group_id,
      rolloutId: `${group_overrides.run_id}/${group_overrides.task_id}/${sample}`,
      ...{ sequence, sequences },
      stretches: labelled(masks[i] ?? [], inference_logprobs[i] ?? []),
    })),
  );
}

/** Turns are apart: what they were prompted with is between them. */
function labelled(masks: readonly number[], logprobs: readonly number[]): Stretch[] {
  const found: Stretch[] = [];
  for (const [i, id] of masks.entries()) {
    if (id < 0) continue;
    if (i === 0 || (masks[i - 1] as number) < 0) found.push({ ids: [], logprobs: [] });
    found.at(-1)?.ids.push(id);
    found.at(-1)?.logprobs.push(logprobs[i] as number);
  }
  return found;
}

interface Datum {
  loss_fn_inputs: Record<'target_tokens' | 'logprobs', { data: number[] }>;
}

interface DatumMeta {
  group_id: string;
  rollout_id: string;
  sequence: number;
  sequences: number;
  spans: { start: number; length: number }[];
}

/** What is in the batches of a folder of `--tinker`. */
export function datumSequences(folder: string): DeliveredSequence[] {
  const { batches } = JSON.parse(contentOf(folder)['manifest.json'] ?? '') as { batches: number };
  return Array.from({ length: batches }, (_, n) => batchName(n + 1)).flatMap((name) => {
    const datums = rowsOf(folder, `${name}.jsonl`) as unknown as Datum[];
    const metas = rowsOf(folder, `${name}.meta.jsonl`) as unknown as DatumMeta[];
    if (datums.length !== metas.length) throw new Error(`${name}: not each datum has a line beside it`);
    return datums.map((datum, i) => sequenceOf(datum, metas[i] as DatumMeta));
  });
}

function sequenceOf({ loss_fn_inputs }: Datum, meta: DatumMeta): DeliveredSequence {
  const { target_tokens, logprobs } = loss_fn_inputs;
  return {
    groupId: meta.group_id,
    rolloutId: meta.rollout_id,
    ...{ sequence: meta.sequence, sequences: meta.sequences },
    // Targets are shifted by one.
    stretches: meta.spans.map(({ start, length }) => ({
      ids: target_tokens.data.slice(start - 1, start - 1 + length),
      logprobs: logprobs.data.slice(start - 1, start - 1 + length),
    })),
  };
}
