import { type Command, Option } from 'commander';
import { workerSettingTable } from '../../config/setting-table.js';
import type { WorkerSettingName } from '../../config/worker-settings.schema.js';

/** Texts as they were typed: the schema judges them. */
export type ServeOptions = Partial<Record<WorkerSettingName, string>>;

/** What the foreground worker of one's own machine needs of it. */
export const UP_SETTINGS: readonly WorkerSettingName[] = [
  'capacity',
  'processes',
  'drainTimeout',
  'diskKeepFree',
  'healthPort',
  'metricsPort',
];

/** Options of the commands that host a worker in the foreground: all, or those named. */
export function withServeOptions(command: Command, names?: readonly WorkerSettingName[]): Command {
  for (const row of workerSettingTable()) {
    if (row.flag === null || (names && !names.includes(row.name))) continue;
    const fallback = row.fallback === null ? '' : ` (default: ${row.fallback})`;
    const option = new Option(`${row.flag} <${row.placeholder}>`, `${row.description}${fallback}`);
    if (row.choices.length > 0) option.argChoices = row.choices;
    command.addOption(option);
  }
  return command;
}

/** Of everything that was typed, what is a worker's. */
export function ownSettings(options: ServeOptions): ServeOptions {
  const names = workerSettingTable().map(({ name }) => name);
  return Object.fromEntries(
    names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
}
