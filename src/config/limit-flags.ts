import { badInput } from '../core/errors.js';
import { AMENDABLE, type Amendable, type LimitChanges } from '../core/run/limits.js';
import { limitChangesSchema } from '../store/records/limits.schema.js';
import { readText } from './read-text.js';
import { settingTable } from './setting-table.js';

/** The changes that flags ask for. Throws `bad_input` that names each flag that cannot be used. */
export function readLimitFlags(flags: Partial<Record<Amendable, string>>): LimitChanges {
  const problems: string[] = [];
  const changes = Object.fromEntries(AMENDABLE.map((name) => [name, null])) as LimitChanges;
  const table = settingTable();
  for (const name of AMENDABLE) {
    const text = flags[name];
    const row = table.find((found) => found.name === name);
    if (text === undefined || row === undefined) continue;
    const result = limitChangesSchema.shape[name].safeParse(readText(row.kind, text));
    if (result.success) changes[name] = result.data;
    else problems.push(`${row.flag}: found "${text}", accepted: ${row.accepted}`);
  }
  if (problems.length > 0)
    throw badInput(`${problems.join('; ')}.`, 'See: longrun runs set --help', { problems });
  return changes;
}
