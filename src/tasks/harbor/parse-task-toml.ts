import { parse, TomlError } from 'smol-toml';
import { z } from 'zod';
import { closest } from '../../core/text/closest.js';
import { shown, type TaskProblem } from './problem.js';
import { type TaskToml, taskTomlSchema } from './task-toml.schema.js';
import { type KeyPath, TomlLines } from './toml-lines.js';

export interface ParsedToml {
  /** Null when the text is not a task.toml; then there are problems. */
  config: TaskToml | null;
  problems: TaskProblem[];
  lineOf(path: KeyPath): number | null;
}

/** Reads a task.toml. All problems are collected, each with its line. */
export function parseTaskToml(text: string, file: string): ParsedToml {
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return { config: null, problems: [syntaxProblem(error, text, file)], lineOf: () => null };
  }
  const lines = new TomlLines(text);
  const lineOf = (path: KeyPath) => lines.lineOf(path);
  const parsed = taskTomlSchema.safeParse(document);
  if (parsed.success) return { config: parsed.data, problems: [], lineOf };
  const problems = parsed.error.issues.flatMap((issue) => {
    const path = issue.path.filter((part) => typeof part !== 'symbol');
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => unknownKey(key, path, file, lineOf([...path, key])));
    }
    return [wrongValue(document, path, issue.message, file, lineOf(path))];
  });
  return { config: null, problems, lineOf };
}

function syntaxProblem(error: TomlError, text: string, file: string): TaskProblem {
  const [first = ''] = error.message.split('\n');
  return {
    file,
    line: error.line,
    found: shown(text.split('\n')[error.line - 1]?.trim() ?? ''),
    accepted: 'TOML 1.0',
    message: first.replace(/^Invalid TOML document: /, 'not TOML: '),
  };
}

function unknownKey(key: string, path: KeyPath, file: string, line: number | null): TaskProblem {
  const known = keysAt(path);
  const meant = closest(key, known) ?? known.find((name) => name.startsWith(`${key}_`)) ?? null;
  const where = path.length === 0 ? 'at the top level' : `in [${tableName(path)}]`;
  const hint = meant === null ? '' : `; did you mean "${meant}"?`;
  return { file, line, found: key, accepted: known.join(', '), message: `unknown key ${where}${hint}` };
}

function wrongValue(
  document: unknown,
  path: KeyPath,
  accepted: string,
  file: string,
  line: number | null,
): TaskProblem {
  const value = valueAt(document, path);
  const message = value === undefined ? `${keyName(path)} is missing` : `${keyName(path)} is not valid`;
  return { file, line, found: shown(value), accepted, message };
}

/** The keys that the table at a path may have. */
function keysAt(path: KeyPath): string[] {
  let schema = bare(taskTomlSchema);
  for (const part of path) {
    if (schema instanceof z.ZodArray) schema = bare(schema.element as z.ZodType);
    else if (schema instanceof z.ZodObject) schema = bare(schema.shape[part] as z.ZodType);
  }
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function bare(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return bare(schema.unwrap() as z.ZodType);
  }
  return schema;
}

function valueAt(document: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (at, part) => (at as Record<string | number, unknown> | null | undefined)?.[part],
    document,
  );
}

const tableName = (path: KeyPath): string => path.filter((part) => typeof part === 'string').join('.');

function keyName(path: KeyPath): string {
  if (path.length === 0) return 'the document';
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`))
    .join('');
}
