import { append } from '../../core/lists/append.js';
import type { ExportContext, ExportFormat, ExportRow } from '../../formats/export-format.js';
import { MetadataColumns } from '../../formats/rows/metadata-columns.js';
import { SAMPLES_FILE, shareGptFormat } from '../../formats/sharegpt/sharegpt.js';
import { UNPARSED_KEY } from '../../formats/sharegpt/unparsed-arguments.js';

/** What is known of a prompt before any is run. */
export interface PromptFacts {
  taskId: string;
  /** In the list, from 0. */
  index: number;
  /** The row's own fields. */
  own: Readonly<Record<string, unknown>>;
}

export const batchFile = (batch: number): string =>
  `batch_${String(batch + 1).padStart(3, '0')}_output.jsonl`;

/** Every file that the rows of prompts may go to. */
export function promptFiles(prompts: number, batchSize: number): string[] {
  const batches = Math.ceil(prompts / batchSize);
  return [SAMPLES_FILE, ...Array.from({ length: batches }, (_, batch) => batchFile(batch))];
}

/**
 * Rows as hermes-agent's batch runner writes them: each in the file of its batch, and in the merged one. The whole
 * list is known at the start, so all rows have its fields as columns.
 */
export function promptFormat(
  prompts: readonly PromptFacts[],
  batchSize: number,
  tools: readonly string[],
): ExportFormat {
  const columns = new MetadataColumns();
  for (const { own } of prompts) columns.see(own);
  const known = new Map(
    prompts.map((facts, i) => [facts.taskId, { ...facts, batch: Math.floor(i / batchSize) }]),
  );
  return {
    name: 'sharegpt',
    unit: 'episode',
    layout: 'lines',
    rows: (episodes, context) => {
      const told = { rows: [] as ExportRow[], refused: [] as ReturnType<ExportFormat['rows']>['refused'] };
      for (const episode of episodes) {
        const { index = 0, own = {}, batch = 0 } = known.get(episode.rollout?.taskId ?? '') ?? {};
        const numbered = { ...episode, groupId: `prompt-${index}` };
        const { rows, refused } = shareGptFormat.rows([numbered], asBatch(context, tools));
        append(told.refused, refused);
        for (const { value } of rows) {
          const row = value as { metadata: Record<string, unknown> };
          const unparsed = { [UNPARSED_KEY]: row.metadata[UNPARSED_KEY] ?? '' };
          const full = { ...row, metadata: { ...columns.row(own), ...row.metadata, ...unparsed } };
          for (const file of [batchFile(batch), SAMPLES_FILE]) told.rows.push({ file, value: full });
        }
      }
      return told;
    },
  };
}

const asBatch = (context: ExportContext, tools: readonly string[]): ExportContext => ({
  ...context,
  tools: [...tools].sort(),
  options: { ...context.options, variant: 'batch' },
});
