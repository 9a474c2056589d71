import type { FlagValues } from '../config/merge-settings.js';
import { type SettingRow, settingTable } from '../config/setting-table.js';
import { posixQuote } from '../core/text/posix-quote.js';

const PLAIN = /^[\w@%+=:,./-]+$/;

/** The command as it was given, with the id of the run that it started: for a shell. */
export function carryOnCommand(
  flags: FlagValues,
  runId: string,
  command: 'evaluate' | 'bench run' = 'evaluate',
): string {
  return commandWith(command, settingTable(), { ...flags, runId }, []);
}

/** The same for any command: `more` are words for options that are no settings. */
export function commandWith<Name extends string>(
  command: string,
  table: readonly SettingRow<Name>[],
  flags: FlagValues<Name | 'environment'>,
  more: readonly string[],
): string {
  const words = table.flatMap(({ name, flag }): string[] => {
    const value: string | string[] | boolean | undefined = flags[name];
    if (flag === null || value === undefined || value === false) return [];
    if (value === true) return [flag];
    return [value].flat().flatMap((text) => [flag, text]);
  });
  const environment = typeof flags.environment === 'string' ? [flags.environment] : [];
  return ['longrun', ...command.split(' '), ...environment, ...words, ...more].map(shellWord).join(' ');
}

const shellWord = (text: string): string => (PLAIN.test(text) ? text : posixQuote(text));
