import type { z } from 'zod';
import { badInput } from '../core/errors.js';
import { closest } from '../core/text/closest.js';
import { toSnakeCase } from '../store/wire/wire-names.js';
import { DEFAULT_CONFIG_FILE, keySchema, readConfigFile, readConfigLeniently } from './config-file.js';
import { fromFileKeys } from './file-keys.js';
import type { FileSettingName } from './file-settings.schema.js';
import type { FileValue } from './file-value.js';
import {
  type ProcessSettingName,
  type ProcessSettings,
  processSettingsSchema,
} from './process-settings.schema.js';
import { readText } from './read-text.js';
import { type ServeSettingName, type ServeSettings, serveSettingsSchema } from './serve-settings.schema.js';
import {
  fileSettingTable,
  processSettingTable,
  type SettingRow,
  serveSettingTable,
  settingTable,
  workerSettingTable,
} from './setting-table.js';
import { type SettingName, type Settings, settingsSchema } from './settings.schema.js';
import { LITERAL_KEY, literalKey } from './upload-key.js';
import {
  type WorkerSettingName,
  type WorkerSettings,
  workerSettingsSchema,
} from './worker-settings.schema.js';

export type SettingOrigin = 'flag' | 'environment' | 'file' | 'default';

export interface MergedSettings {
  settings: Settings;
  /** Where each value came from. */
  origins: Record<SettingName, SettingOrigin>;
  /** Things a person would want to know and that stop nothing. */
  warnings: string[];
}

/** Values of flags as the command line hands them over: texts, lists of texts, true. Absent = not given. */
export type FlagValues<Name extends string = SettingName> = Partial<
  Record<Name, string | string[] | boolean>
>;

interface Candidate {
  origin: SettingOrigin;
  place: string;
  value: unknown;
}

/**
 * Merges flags > environment > file > defaults and checks every value.
 * Throws `bad_input` that names each place, what was found there and what is accepted.
 */
export async function mergeSettings(flags: FlagValues, env: NodeJS.ProcessEnv): Promise<MergedSettings> {
  const { values, ...merged } = await merge<SettingName>(settingsSchema.shape, settingTable(), flags, env);
  return { ...merged, settings: values as Settings };
}

/** The same for `longrun process`. */
export async function mergeProcessSettings(
  flags: FlagValues<ProcessSettingName>,
  env: NodeJS.ProcessEnv,
): Promise<{ settings: ProcessSettings; warnings: string[] }> {
  const { values, warnings } = await merge<ProcessSettingName>(
    processSettingsSchema.shape,
    processSettingTable(),
    flags,
    env,
  );
  return { settings: values as ProcessSettings, warnings };
}

/** The same for `longrun serve`. */
export async function mergeServeSettings(
  flags: FlagValues<ServeSettingName>,
  env: NodeJS.ProcessEnv,
): Promise<{ settings: ServeSettings; warnings: string[] }> {
  const { values, warnings } = await merge<ServeSettingName>(
    serveSettingsSchema.shape,
    serveSettingTable(),
    flags,
    env,
  );
  return { settings: values as ServeSettings, warnings };
}

async function merge<Name extends string>(
  shape: Record<Name, z.ZodType>,
  table: readonly SettingRow<Name>[],
  flags: FlagValues<Name> & { config?: string | string[] | boolean },
  env: NodeJS.ProcessEnv,
): Promise<{ values: Record<string, unknown>; origins: Record<Name, SettingOrigin>; warnings: string[] }> {
  const path = text(flags.config) ?? (env.LONGRUN_CONFIG || null);
  const file = await readConfigFile(path ?? DEFAULT_CONFIG_FILE, path !== null, fileSettingTable());
  const { values, origins } = judge(shape, table, flags, env, file);
  const warnings = unknownVariables(env);
  const { uploadApiKey } = values.trajectory as Settings['trajectory'];
  if (literalKey(uploadApiKey) !== null) warnings.push(LITERAL_KEY);
  return { values, origins, warnings };
}

/** What every command takes, whether or not it runs anything. */
const COMMON = ['json', 'stateDir', 'store', 'logLevel', 'apiKeyEnv'] as const satisfies SettingName[];
export type CommonSettings = Pick<Settings, (typeof COMMON)[number]>;

/**
 * The settings of commands that run nothing. Flags and variables are checked; of the file only these are taken
 * where they can be used, as a fault in the settings of a run is no reason to refuse `runs list`.
 */
export async function mergeCommonSettings(
  flags: FlagValues,
  env: NodeJS.ProcessEnv,
): Promise<{ settings: CommonSettings; warnings: string[] }> {
  const rows = settingTable().filter(({ name }) => (COMMON as readonly SettingName[]).includes(name));
  const path = env.LONGRUN_CONFIG || null;
  const { file, warnings } = await readConfigLeniently(path ?? DEFAULT_CONFIG_FILE, path !== null, rows);
  for (const row of rows) {
    const found = file.get(row.name);
    if (!found || settingsSchema.shape[row.name].safeParse(found.value).success) continue;
    file.delete(row.name);
    warnings.push(`${found.place}: ${row.fileKey} was ignored; accepted is ${row.accepted}.`);
  }
  const { values } = judge(settingsSchema.shape, rows, flags, env, file);
  return { settings: values as CommonSettings, warnings: [...warnings, ...unknownVariables(env)] };
}

/** The settings of a worker, by flags > environment > defaults. Throws `bad_input` with all that is wrong. */
export function mergeWorkerSettings(
  flags: Partial<Record<WorkerSettingName, string>>,
  env: NodeJS.ProcessEnv,
): WorkerSettings {
  const { values } = judge(workerSettingsSchema.shape, workerSettingTable(), flags, env, new Map());
  return values as WorkerSettings;
}

/** Chooses and checks a value for each row. Throws `bad_input` with all that is wrong. */
function judge<Name extends string>(
  shape: Record<Name, z.ZodType>,
  rows: readonly SettingRow<Name>[],
  flags: Partial<Record<Name, string | string[] | boolean>>,
  env: NodeJS.ProcessEnv,
  file: ReadonlyMap<string, FileValue>,
): { values: Record<string, unknown>; origins: Record<Name, SettingOrigin> } {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  const origins: Record<string, SettingOrigin> = {};
  for (const row of rows) {
    const candidate = choose(row, flags, env, file);
    const result = shape[row.name].safeParse(candidate?.value);
    if (result.success) values[row.name] = result.data;
    else problems.push(problem(row, candidate as Candidate, result.error));
    origins[row.name] = candidate?.origin ?? 'default';
  }
  if (problems.length > 0) throw refused(problems);
  return { values, origins };
}

function choose<Name extends string>(
  row: SettingRow<Name>,
  flags: Partial<Record<Name, string | string[] | boolean>>,
  env: NodeJS.ProcessEnv,
  file: ReadonlyMap<string, FileValue>,
): Candidate | null {
  const flag = flags[row.name];
  if (flag !== undefined) {
    const value = typeof flag === 'string' ? readText(row.kind, flag) : flag;
    return { origin: 'flag', place: row.flag ?? row.name, value };
  }
  const variable = row.env === null ? undefined : env[row.env];
  if (row.env !== null && variable) {
    const read = readText(row.kind, variable);
    return {
      origin: 'environment',
      place: row.env,
      value: row.parts.length > 0 ? fromFileKeys(read, keySchema(row.name as FileSettingName)) : read,
    };
  }
  const fromFile = file.get(row.name);
  if (!fromFile) return null;
  const value = row.kind === 'list' && typeof fromFile.value === 'string' ? [fromFile.value] : fromFile.value;
  return { origin: 'file', place: fromFile.place, value };
}

function problem(row: SettingRow<string>, candidate: Candidate, error: z.ZodError): string {
  const issue = error.issues[0] as z.core.$ZodIssue;
  const key = row.fileKey ?? row.nestedKey;
  const where = candidate.origin === 'file' ? `${candidate.place}: ${key}` : candidate.place;
  // The value of a mapping is not repeated: it may hold a secret.
  if (row.parts.length > 0) return problemWithin(where, row, issue);
  const [at] = issue.path;
  if (row.kind === 'list' && typeof at === 'number' && Array.isArray(candidate.value))
    return `${where}: found "${withoutSecret(String(candidate.value[at]))}", accepted: ${row.accepted}`;
  if (issue.path.length > 0) return `${where}: at ${issue.path.join('.')}: ${issue.message}`;
  const found = typeof candidate.value === 'string' ? candidate.value : JSON.stringify(candidate.value);
  const meant = closest(String(candidate.value), row.choices);
  const accepted = issue.code === 'custom' ? issue.message : row.accepted;
  return `${where}: found "${withoutSecret(found)}", accepted: ${accepted}${meant ? ` (did you mean "${meant}"?)` : ''}`;
}

/** User, password and query of an address are not repeated, nor the value of a variable that was to be named. */
const withoutSecret = (text: string): string =>
  text.replace(/\S+/g, addressAlone).replace(/^(\w+=).*/s, '$1…');

function addressAlone(word: string): string {
  const start = word.indexOf('://');
  if (start < 0) return word;
  const user = word.lastIndexOf('@');
  const address = user < start ? word : `${word.slice(0, start)}://…${word.slice(user)}`;
  const query = address.slice(start).search(/[?#]/);
  return query < 0 ? address : `${address.slice(0, start + query + 1)}…`;
}

function problemWithin(where: string, row: SettingRow<string>, issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const known = row.parts.map(({ fileKey }) => fileKey.slice((row.fileKey ?? '').length + 1));
    const [unknown = ''] = issue.keys;
    const meant = closest(unknown.replaceAll('-', '_'), known);
    return `${where}: unknown setting "${unknown}"; ${meant ? `did you mean "${meant}"?` : `accepted: ${known.join(', ')}`}`;
  }
  const [name] = issue.path;
  if (name === undefined) return `${where}: accepted: ${row.accepted}`;
  const part = row.parts.find(({ fileKey }) => fileKey === `${row.fileKey}.${toSnakeCase(String(name))}`);
  const accepted = issue.code === 'custom' ? issue.message : (part?.accepted ?? issue.message);
  return `${where}: at ${toSnakeCase(String(name))}: accepted: ${accepted}`;
}

function refused(problems: string[]): Error {
  const hint = 'See docs/reference/config.md, or the command with --help';
  if (problems.length === 1) return badInput(`${problems[0]}.`, hint, { problems });
  return badInput(`${problems.length} settings cannot be used:\n  ${problems.join('\n  ')}`, hint, {
    problems,
  });
}

/** Variables of ours that are no settings. */
const OTHER_VARIABLES = ['LONGRUN_SKIP_TIERS'];

function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  const known = [...fileSettingTable(), ...workerSettingTable()].flatMap((row) => row.env ?? []);
  const strange = Object.keys(env).filter((name) => name.startsWith('LONGRUN_') && !known.includes(name));
  return strange.flatMap((name) => {
    const meant = OTHER_VARIABLES.includes(name) ? null : closest(name, known);
    return meant
      ? [`The environment variable ${name} is not a setting and was ignored; did you mean ${meant}?`]
      : [];
  });
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
