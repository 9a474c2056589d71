import { type Command, Option } from 'commander';
import type { FlagValues } from '../config/merge-settings.js';
import { type SettingRow, settingTable } from '../config/setting-table.js';

/** Adds a flag per setting, described by the schema. Values stay texts: the schema judges them, in one place. */
export function addSettingOptions(
  command: Command,
  without: readonly string[] = [],
  table: readonly SettingRow<string>[] = settingTable(),
): Command {
  for (const row of table) {
    if (row.flag === null || without.includes(row.name)) continue;
    const option = new Option(
      row.placeholder === null ? row.flag : `${row.flag} <${row.placeholder}>`,
      help(row),
    );
    if (row.choices.length > 0) option.argChoices = row.choices;
    if (row.kind === 'list') option.argParser(collect);
    command.addOption(option.helpGroup(`${row.group}:`));
  }
  return command;
}

/** What commander parsed, by setting. */
export function flagValues(options: Record<string, unknown>, environment: string | undefined): FlagValues {
  return flagsOf(settingTable(), options, environment);
}

/** The same for a command with settings of its own. */
export function flagsOf<Name extends string>(
  table: readonly SettingRow<Name>[],
  options: Record<string, unknown>,
  environment: string | undefined,
): FlagValues<Name> {
  const given = table.map((row) => row.name).filter((name) => options[name] !== undefined);
  const flags = Object.fromEntries(given.map((name) => [name, options[name]]));
  return (environment === undefined ? flags : { ...flags, environment }) as FlagValues<Name>;
}

const collect = (value: string, previous: string[] | undefined): string[] => [...(previous ?? []), value];

function help(row: SettingRow<string>): string {
  const nothing =
    row.fallback === null || typeof row.fallback === 'boolean' || typeof row.fallback === 'object';
  return nothing ? row.description : `${row.description} (default: ${row.fallback})`;
}
