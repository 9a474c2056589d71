import { type Command, Option } from 'commander';
import type { FlagValues } from '../config/merge-settings.js';
import { type SettingRow, settingTable } from '../config/setting-table.js';
import type { SettingName } from '../config/settings.schema.js';

/** Adds a flag per setting, described by the schema. Values stay texts: the schema judges them, in one place. */
export function addSettingOptions(command: Command): Command {
  for (const row of settingTable()) {
    if (row.flag === null) continue;
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
  const names = settingTable().map((row) => row.name);
  const given = names.filter((name) => options[name] !== undefined);
  const flags: FlagValues = Object.fromEntries(given.map((name) => [name, options[name]])) as Record<
    SettingName,
    string | string[] | boolean
  >;
  return environment === undefined ? flags : { ...flags, environment };
}

const collect = (value: string, previous: string[] | undefined): string[] => [...(previous ?? []), value];

function help(row: SettingRow): string {
  const nothing =
    row.fallback === null || typeof row.fallback === 'boolean' || typeof row.fallback === 'object';
  return nothing ? row.description : `${row.description} (default: ${row.fallback})`;
}
