import { z } from 'zod';
import { toSnakeCase } from '../store/wire/wire-names.js';
import { type FileSettingName, fileSettingsSchema } from './file-settings.schema.js';
import { groupSettings, type ProcessSettingName, processSettingsSchema } from './process-settings.schema.js';
import { type ServeSettingName, serveSettings, serveSettingsSchema } from './serve-settings.schema.js';
import { PLACEHOLDERS, WORKER_PLACEHOLDERS } from './setting-placeholders.js';
import { type SettingName, settingsSchema } from './settings.schema.js';
import { type WorkerSettingName, workerSettingsSchema } from './worker-settings.schema.js';

export type SettingKind = 'text' | 'integer' | 'number' | 'boolean' | 'list' | 'map';

/** One setting, as the command line, the environment, the file and the reference see it. */
export interface SettingRow<Name extends string = SettingName> {
  name: Name;
  kind: SettingKind;
  /** `--max-turns`; null where a flag makes no sense (maps, the positional argument). */
  flag: string | null;
  /** `LONGRUN_MAX_TURNS`; null where only a flag makes sense. */
  env: string | null;
  /** `max_turns`; null where only a flag makes sense. */
  fileKey: string | null;
  /** Where the file has it within the mapping of another setting: `agent.save_trajectories`. */
  nestedKey: string | null;
  /** The keys of a mapping whose keys are ours. */
  parts: SettingPart[];
  /** What stands behind the flag in help: `n`, `glob`, `folder`. */
  placeholder: string | null;
  group: string;
  choices: string[];
  /** In words: what a value must look like. */
  accepted: string;
  description: string;
  fallback: unknown;
}

/** One key of a setting that is a mapping. */
export interface SettingPart {
  /** `trajectory.min_turn_count` */
  fileKey: string;
  accepted: string;
  description: string;
  fallback: unknown;
}

const GROUPS: [heading: string, names: SettingName[]][] = [
  ['Model and agent', ['environment', 'model', 'agent', 'baseUrl', 'apiKeyEnv']],
  ['What runs', ['samples', 'tasks', 'task', 'passThreshold']],
  [
    'How it runs',
    [
      'concurrency',
      'maxAttempts',
      'retries',
      'sandbox',
      'network',
      'passEnv',
      'timeoutMultiplier',
      'verify',
      'keepSnapshots',
      'weight',
      'priority',
      'hostLossMs',
    ],
  ],
  [
    'Agent loop',
    [
      'toolCallParser',
      'tokenApi',
      'tokenizer',
      'maxTurns',
      'maxTokens',
      'temperature',
      'seed',
      'contextPolicy',
      'contextWindow',
      'historyLimits',
    ],
  ],
  [
    'Limits',
    [
      'modelTimeoutMs',
      'budgetUsd',
      'budgetTokens',
      'rolloutBudgetUsd',
      'rolloutBudgetTokens',
      'groupBudgetUsd',
      'groupBudgetTokens',
      'prices',
    ],
  ],
  [
    'Run and output',
    [
      'runId',
      'stateDir',
      'store',
      'output',
      'saveTrajectories',
      'trajectoryFile',
      'failUnder',
      'detach',
      'json',
      'metricsPort',
      'logLevel',
      'config',
    ],
  ],
  ['Recording', ['trajectory']],
];

const ENV_NAMES: Partial<Record<string, string>> = {
  stateDir: 'LONGRUN_HOME',
};
const WITHOUT_FLAG = new Set<string>(['environment', 'historyLimits', 'prices', 'retries', 'trajectory']);
const FLAG_ONLY = new Set<string>(['json', 'detach']);
const WITHOUT_FILE_KEY = new Set<string>([
  'json',
  'detach',
  'config',
  'runId',
  'saveTrajectories',
  'trajectoryFile',
]);

const NESTED_KEYS: Partial<Record<string, string>> = { saveTrajectories: 'agent.save_trajectories' };

interface PropertySchema {
  properties?: Record<string, PropertySchema>;
  type?: string | string[];
  enum?: string[];
  anyOf?: PropertySchema[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  format?: string;
  pattern?: string;
  default?: unknown;
  description?: string;
  /** In words what is accepted, where a pattern says it badly. */
  accepted?: string;
}

/** The settings in reading order, derived from the schema. */
export function settingTable(): SettingRow[] {
  return rowsOf(settingsSchema, GROUPS);
}

const GROUP_ROWS: [heading: string, names: (keyof typeof groupSettings)[]] = [
  'Groups',
  Object.keys(groupSettings) as (keyof typeof groupSettings)[],
];

const SERVE_ROWS: [heading: string, names: (keyof typeof serveSettings)[]] = [
  'Trainers',
  Object.keys(serveSettings) as (keyof typeof serveSettings)[],
];

/** The settings of `longrun process`, in reading order. */
export function processSettingTable(): SettingRow<ProcessSettingName>[] {
  const groups = withoutUnknown(processSettingsSchema.shape);
  return rowsOf(processSettingsSchema, [...groups.slice(0, 2), GROUP_ROWS, ...groups.slice(2)]);
}

/** Those of `longrun serve`. */
export function serveSettingTable(): SettingRow<ServeSettingName>[] {
  const groups = withoutUnknown(serveSettingsSchema.shape);
  return rowsOf(serveSettingsSchema, [SERVE_ROWS, ...groups.slice(0, 2), GROUP_ROWS, ...groups.slice(2)]);
}

/** The settings that every command has, as far as this one takes them. */
function withoutUnknown<Shape extends object>(
  shape: Shape,
): [heading: string, names: (SettingName & keyof Shape)[]][] {
  const isKnown = (name: SettingName): name is SettingName & keyof Shape => name in shape;
  return GROUPS.map(([heading, names]) => [heading, names.filter(isKnown)]);
}

/** What only `longrun process` and `longrun serve` have of them. */
export function groupSettingTable(): SettingRow<ProcessSettingName>[] {
  return processSettingTable().filter(({ group }) => group === GROUP_ROWS[0]);
}

/** What only `longrun serve` has. */
export function trainerSettingTable(): SettingRow<ServeSettingName>[] {
  return serveSettingTable().filter(({ group }) => group === SERVE_ROWS[0]);
}

/** Every setting that the file may have: one file serves all commands. */
export function fileSettingTable(): SettingRow<FileSettingName>[] {
  return rowsOf<FileSettingName>(fileSettingsSchema, [...GROUPS, GROUP_ROWS, SERVE_ROWS]);
}

/** The settings of `longrun worker`, as flags and variables; the file is about runs. */
export function workerSettingTable(): SettingRow<WorkerSettingName>[] {
  const names = Object.keys(workerSettingsSchema.shape) as WorkerSettingName[];
  return rowsOf(workerSettingsSchema, [['Worker', names]]).map((row) => ({
    ...row,
    fileKey: null,
    placeholder: WORKER_PLACEHOLDERS[row.name] ?? row.placeholder,
  }));
}

function rowsOf<Name extends string>(
  settings: z.ZodType,
  groups: readonly [heading: string, names: Name[]][],
): SettingRow<Name>[] {
  const schema = z.toJSONSchema(settings, { io: 'input' });
  const properties = (schema.properties ?? {}) as Record<string, PropertySchema>;
  return groups.flatMap(([group, names]) =>
    names.map((name) => settingRow(name, group, properties[name] as PropertySchema)),
  );
}

function settingRow<Name extends string>(
  name: Name,
  group: string,
  property: PropertySchema,
): SettingRow<Name> {
  const schema = withoutNull(property);
  const kind = kindOf(schema);
  const snake = toSnakeCase(name);
  const choices = schema.enum ?? [];
  return {
    name,
    kind,
    flag: WITHOUT_FLAG.has(name) ? null : `--${snake.replaceAll('_', '-')}`,
    env: FLAG_ONLY.has(name) ? null : (ENV_NAMES[name] ?? `LONGRUN_${snake.toUpperCase()}`),
    fileKey: WITHOUT_FILE_KEY.has(name) ? null : snake,
    nestedKey: NESTED_KEYS[name] ?? null,
    parts: partsOf(snake, schema),
    placeholder: kind === 'boolean' ? null : (PLACEHOLDERS[name] ?? 'n'),
    group,
    choices,
    accepted: property.accepted ?? accepted(kind, schema),
    description: property.description ?? '',
    fallback: property.default ?? null,
  };
}

function partsOf(key: string, { properties = {} }: PropertySchema): SettingPart[] {
  return Object.entries(properties).map(([name, property]) => {
    const schema = withoutNull(property);
    return {
      fileKey: `${key}.${toSnakeCase(name)}`,
      accepted: property.accepted ?? accepted(kindOf(schema), schema),
      description: property.description ?? '',
      fallback: property.default ?? null,
    };
  });
}

/** Null means "left open"; nobody types it. */
function withoutNull(property: PropertySchema): PropertySchema {
  if (property.anyOf) return property.anyOf.find((option) => option.type !== 'null') ?? {};
  if (!Array.isArray(property.type)) return property;
  return { ...property, type: property.type.find((type) => type !== 'null') ?? 'string' };
}

function kindOf(schema: PropertySchema): SettingKind {
  switch (schema.type) {
    case 'integer':
    case 'number':
    case 'boolean':
      return schema.type;
    case 'array':
      return 'list';
    case 'object':
      return 'map';
    default:
      return 'text';
  }
}

function accepted(kind: SettingKind, schema: PropertySchema): string {
  if (schema.enum) return schema.enum.join(', ');
  if (kind === 'boolean') return 'true or false';
  if (kind === 'list') return 'one text or a list of texts';
  if (kind === 'map') return 'a mapping';
  if (kind === 'text') return acceptedText(schema);
  return `${kind === 'integer' ? 'a whole number' : 'a number'}${bounds(schema)}`;
}

function acceptedText(schema: PropertySchema): string {
  if (schema.format === 'uri') return 'an address that starts with http:// or https://';
  if (schema.pattern)
    return 'letters, digits, ".", "_" and "-", at most 100, starting with a letter or digit';
  return 'a text';
}

/** zod writes the range of safe integers into every integer; a reader does not want to see that. */
function bounds(schema: PropertySchema): string {
  const max =
    schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER ? schema.maximum : undefined;
  const min =
    schema.minimum !== undefined && schema.minimum > Number.MIN_SAFE_INTEGER ? schema.minimum : undefined;
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  if (schema.exclusiveMinimum !== undefined) return ` above ${schema.exclusiveMinimum}`;
  return max === undefined ? '' : ` of at most ${max}`;
}
