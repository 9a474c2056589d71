import { readFile } from 'node:fs/promises';
import { isMap, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import { z } from 'zod';
import { badInput } from '../core/errors.js';
import { closest } from '../core/text/closest.js';
import { agentSettings, isAgentMapping } from './agent-mapping.js';
import { fromFileKeys, type KeySchema } from './file-keys.js';
import { type FileSettingName, fileSettingsSchema } from './file-settings.schema.js';
import type { FileValue } from './file-value.js';
import type { SettingRow } from './setting-table.js';

export const DEFAULT_CONFIG_FILE = 'longrun.yaml';

/** Reads a settings file. `required` is false for the default file, which need not be there. */
export async function readConfigFile(
  path: string,
  required: boolean,
  table: readonly SettingRow<FileSettingName>[],
): Promise<Map<FileSettingName, FileValue>> {
  const text = await readText(path, required);
  return text === null ? new Map() : parseConfigText(text, path, table);
}

/**
 * Some settings of a file that may be at fault elsewhere, for commands that run nothing. What cannot
 * be read at all is answered as a warning.
 */
export async function readConfigLeniently(
  path: string,
  required: boolean,
  rows: readonly SettingRow<FileSettingName>[],
): Promise<{ file: Map<FileSettingName, FileValue>; warnings: string[] }> {
  const file = new Map<FileSettingName, FileValue>();
  let text: string | null;
  try {
    text = await readText(path, required);
  } catch (error) {
    return { file, warnings: [`${(error as Error).message} It was ignored.`] };
  }
  if (text === null) return { file, warnings: [] };
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0)
    return { file, warnings: [`The settings file ${path} is not valid YAML and was ignored.`] };
  if (!isMap(document.contents)) return { file, warnings: [] };
  for (const row of rows) {
    if (row.fileKey === null || !document.contents.has(row.fileKey)) continue;
    file.set(row.name, { value: document.contents.get(row.fileKey), place: path });
  }
  return { file, warnings: [] };
}

async function readText(path: string, required: boolean): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' && !required) return null;
    const found = code === 'ENOENT' ? 'there is no such file' : (error as Error).message;
    throw badInput(
      `The settings file ${path} cannot be read: ${found}.`,
      'Check the path given with --config.',
    );
  }
}

/** Parses the text of a settings file; `path` is only for messages. Throws `bad_input` with line and column. */
export function parseConfigText(
  text: string,
  path: string,
  table: readonly SettingRow<FileSettingName>[],
): Map<FileSettingName, FileValue> {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
  });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  const [broken] = document.errors;
  if (broken)
    throw badInput(`${at(broken.pos[0])}: ${broken.message}.`, 'The settings file must be valid YAML.');
  const values = new Map<FileSettingName, FileValue>();
  if (document.contents === null) return values;
  if (!isMap<Node, Node | null>(document.contents)) {
    throw badInput(
      `${path}: found something other than "key: value" lines.`,
      'Write one setting per line, as in samples: 3.',
    );
  }
  for (const { key, value } of document.contents.items) {
    const place = at(key.range?.[0] ?? 0);
    const row = rowOf(isScalar(key) ? String(key.value) : '', place, table);
    if (row === null) continue;
    if (isAgentMapping(row.name, value)) {
      for (const [name, setting] of agentSettings(value, at)) values.set(name, setting);
      continue;
    }
    const found = value === null ? null : fromFileKeys(value.toJS(document), keySchema(row.name));
    values.set(row.name, {
      value: found,
      place: at(value?.range?.[0] ?? key.range?.[0] ?? 0),
    });
  }
  return values;
}

/** Null for keys that are for editors only. */
function rowOf(
  key: string,
  place: string,
  table: readonly SettingRow<FileSettingName>[],
): SettingRow<FileSettingName> | null {
  if (key === '$schema') return null;
  const row = table.find((candidate) => candidate.fileKey === key);
  if (row) return row;
  const known = table.flatMap((candidate) => candidate.fileKey ?? []);
  const flag = `--${key.replaceAll('_', '-')}`;
  const flagOnly = table.find((candidate) => candidate.flag === flag && candidate.fileKey === null);
  if (flagOnly) {
    const nested = flagOnly.nestedKey === null ? '' : `, or as ${flagOnly.nestedKey}`;
    throw badInput(
      `${place}: "${key}" is not a setting of the file.`,
      `Give it on the command line: ${flagOnly.flag}${nested}.`,
    );
  }
  const meant = closest(key.replaceAll('-', '_'), known);
  throw badInput(
    `${place}: unknown setting "${key}".`,
    meant ? `Did you mean "${meant}"?` : `Accepted are: ${known.join(', ')}.`,
  );
}

/** Where a setting's keys are ours. */
export function keySchema(name: FileSettingName): KeySchema {
  return z.toJSONSchema(fileSettingsSchema.shape[name], { io: 'input' }) as KeySchema;
}
