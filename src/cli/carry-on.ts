import { posixQuote } from '../agent/posix-quote.js';
import type { FlagValues } from '../config/merge-settings.js';
import { settingTable } from '../config/setting-table.js';

const PLAIN = /^[\w@%+=:,./-]+$/;

/** The `evaluate` command as it was given, with the id of the run that it started: for a shell. */
export function carryOnCommand(flags: FlagValues, runId: string): string {
  const given: FlagValues = { ...flags, runId };
  const words = settingTable().flatMap(({ name, flag }): string[] => {
    const value = given[name];
    if (flag === null || value === undefined || value === false) return [];
    if (value === true) return [flag];
    return [value].flat().flatMap((text) => [flag, text]);
  });
  const environment = typeof flags.environment === 'string' ? [flags.environment] : [];
  return ['longrun', 'evaluate', ...environment, ...words].map(shellWord).join(' ');
}

const shellWord = (text: string): string => (PLAIN.test(text) ? text : posixQuote(text));
