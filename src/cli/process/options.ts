import { resolve } from 'node:path';
import { badInput } from '../../core/errors.js';
import { EXPORT_FORMATS } from '../../formats/export-format.js';
import { promptsSource } from '../../tasks/prompts/prompts-environment.js';
import type { OutputOptions } from '../../trajectories/process/process-output.js';
import { parseFilters } from '../../trajectories/process/sample-rules.js';
import { rowFormat } from '../../trajectories/row-formats.js';
import { wholeNumber } from '../whole-number.js';

export interface ProcessFlags {
  output?: string;
  format?: string[];
  filter?: string[];
  keepNoReasoning?: boolean;
  keepZeroVariance?: boolean;
  batchGroups?: string;
  force?: boolean;
  prompts?: string;
  batchSize?: string;
}

const DEFAULT_BATCH_GROUPS = 8;
const DEFAULT_BATCH_SIZE = 10;

/** What the flags say about the output besides its folder. Errors: `bad_input`. */
export function processOptions(
  flags: ProcessFlags,
): Omit<OutputOptions, 'folder' | 'revision' | 'batchSize'> {
  const filters = flags.filter ?? [];
  parseFilters(filters);
  const names = [...new Set(flags.format ?? ['sharegpt'])];
  return {
    formats: names.map(formatOf),
    filters,
    keepNoReasoning: flags.keepNoReasoning === true,
    keepZeroVariance: flags.keepZeroVariance === true,
    batchGroups:
      flags.batchGroups === undefined
        ? DEFAULT_BATCH_GROUPS
        : wholeNumber('--batch-groups', flags.batchGroups, 2),
    force: flags.force === true,
  };
}

function formatOf(name: string) {
  const known = (EXPORT_FORMATS as readonly string[]).includes(name);
  if (!known)
    throw badInput(
      `--format: found "${name}", accepted: ${EXPORT_FORMATS.join(', ')}.`,
      'Several are separated by commas: --format sharegpt,tinker',
    );
  return rowFormat(name);
}

/** Rows in a batch of a prompt list; null where the run is of an environment. Errors: `bad_input`. */
export function batchSizeOf({ batchSize }: ProcessFlags, ofPrompts: boolean): number | null {
  if (ofPrompts) return batchSize === undefined ? DEFAULT_BATCH_SIZE : wholeNumber('--batch-size', batchSize);
  if (batchSize === undefined) return null;
  throw badInput(
    '--batch-size would do nothing: it is about prompt lists, and an environment was named.',
    'Name the list with --prompts, or leave --batch-size out.',
  );
}

/** What runs: the environment that was named, or the list of prompts. Errors: `bad_input` for both. */
export function sourceOf({ prompts }: ProcessFlags, environment: string | undefined): string | undefined {
  if (prompts === undefined) return environment;
  if (environment === undefined) return promptsSource(prompts);
  throw badInput(
    `--prompts takes the place of an environment, and ${environment} was named, too.`,
    'Leave one of them out.',
  );
}

/** The same options as words of a command line, with the folder as it is found from anywhere. */
export function processWords(flags: ProcessFlags, folder: string): string[] {
  const { format, filter = [], batchGroups, batchSize } = flags;
  return [
    ['--output', resolve(folder)],
    format === undefined ? [] : ['--format', format.join(',')],
    filter.flatMap((rule) => ['--filter', rule]),
    flags.keepNoReasoning ? ['--keep-no-reasoning'] : [],
    flags.keepZeroVariance ? ['--keep-zero-variance'] : [],
    batchGroups === undefined ? [] : ['--batch-groups', batchGroups],
    batchSize === undefined ? [] : ['--batch-size', batchSize],
  ].flat();
}
