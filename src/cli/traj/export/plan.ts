import { badInput } from '../../../core/errors.js';
import type { ExportFormat } from '../../../formats/export-format.js';
import { BATCH_FILE, FAILED_FILE, SAMPLES_FILE } from '../../../formats/sharegpt/sharegpt.js';
import type { OutputOptions } from '../../../trajectories/files/output.js';
import { rowFormat } from '../../../trajectories/row-formats.js';
import type { InputOptions, OutputFlags } from '../traj-options.js';

/** The options of an export. Those that only some formats look at are refused for the others. */
export interface ExportFlags extends InputOptions, OutputFlags {
  format: string;
  rows?: string;
  rewardOrder?: string;
  variant?: string;
  plain?: boolean;
  keepZeroVariance?: boolean;
  withoutLogprobs?: boolean;
  tokenize?: string;
}

/** How an export is made, from its flags. */
export interface ExportPlan {
  format: ExportFormat;
  path: string;
  output: OutputOptions;
  options: Record<string, string | boolean | undefined>;
}

/** Which formats look at a flag. */
const TRAINING = ['atropos-group', 'tinker'];
const ONLY_FOR: Partial<Record<keyof ExportFlags, readonly string[]>> = {
  variant: ['sharegpt'],
  plain: ['sharegpt'],
  keepZeroVariance: TRAINING,
  withoutLogprobs: TRAINING,
  tokenize: TRAINING,
};
const FLAG_NAMES: Partial<Record<keyof ExportFlags, string>> = {
  keepZeroVariance: 'keep-zero-variance',
  withoutLogprobs: 'without-logprobs',
};
const VARIANTS = ['cli', 'batch'];
const FILE_NAME = /\.(jsonl|jsonl\.gz|parquet)$/;
const ONE_FILE = /\.(json|jsonl|parquet)(\.gz)?$/;

/** `ofProcess`: the input is a run of `process`. Errors: `bad_input` for flags that contradict each other. */
export async function exportPlan(flags: ExportFlags, ofProcess: boolean): Promise<ExportPlan> {
  const name = flags.format === 'parquet' ? (flags.rows ?? 'sharegpt') : flags.format;
  const format = rowFormat(name, flags.format === 'parquet' ? '--rows' : '--format');
  refuseForeign(flags, name);
  const { variant = ofProcess ? 'batch' : 'cli', plain, keepZeroVariance, tokenize } = flags;
  if (!VARIANTS.includes(variant))
    throw badInput(`--variant: found "${variant}", accepted: ${VARIANTS.join(', ')}.`);
  const path = flags.output ?? defaultPath(flags.format, name, variant);
  const merged = FILE_NAME.test(path);
  const folder = format.layout === 'document' || (name === 'atropos-v1' && !merged);
  return {
    format: tokenize === undefined ? format : await tokenizingFormat(format, tokenize),
    path,
    output: {
      force: flags.force === true,
      parquet: true,
      folder,
      name: fileName(flags.format, name, variant),
      siblings: siblingsOf(name, variant),
    },
    options: {
      variant,
      plain,
      merged,
      keepZeroVariance,
      withoutLogprobs: flags.withoutLogprobs === true || tokenize !== undefined,
    },
  };
}

function refuseForeign(flags: ExportFlags, name: string): void {
  if (flags.rows !== undefined && flags.format !== 'parquet')
    throw badInput(`--rows is for --format parquet, not for ${flags.format}.`);
  if (flags.format === 'parquet' && flags.output !== undefined && /\.jsonl(\.gz)?$/.test(flags.output))
    throw badInput(
      `--output: found "${flags.output}", accepted with --format parquet: a file that ends in .parquet.`,
    );
  if (rowFormat(name).layout === 'document' && flags.output !== undefined && ONE_FILE.test(flags.output))
    throw badInput(
      `--output: found "${flags.output}", accepted with --format ${name}: a folder, which gets a file per rollout.`,
    );
  for (const [flag, formats] of Object.entries(ONLY_FOR)) {
    const given = flags[flag as keyof ExportFlags];
    if (given !== undefined && !formats.includes(name))
      throw badInput(
        `--${FLAG_NAMES[flag as keyof ExportFlags] ?? flag} is for the format ${formats.join(' or ')}, not for ${name}.`,
      );
  }
}

/** Heavy, and rarely asked for. */
async function tokenizingFormat(format: ExportFormat, folder: string): Promise<ExportFormat> {
  const { openTokenizer } = await import('../../../model/tokenizer/open-tokenizer.js');
  const { tokenizing } = await import('../../../formats/tokens/tokenizing.js');
  return tokenizing(format, await openTokenizer(folder));
}

/** In a folder that was named. */
function fileName(container: string, name: string, variant: string): string {
  if (container === 'parquet') return 'trajectories.parquet';
  if (name === 'sharegpt') return variant === 'batch' ? BATCH_FILE : SAMPLES_FILE;
  return 'trajectories.jsonl';
}

/** Without `--output`: in the current folder. */
function defaultPath(container: string, name: string, variant: string): string {
  if (name === 'atif') return 'atif/';
  if (container === 'parquet' || name === 'sharegpt') return fileName(container, name, variant);
  return `trajectories.${name}.jsonl`;
}

function siblingsOf(name: string, variant: string): string[] {
  if (name === 'sharegpt' && variant === 'cli') return [FAILED_FILE];
  return name === 'tinker' ? ['.traj.jsonl', '.meta.jsonl'] : [];
}
