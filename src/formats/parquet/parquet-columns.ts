import type { SchemaElement } from 'hyparquet-writer';
import { type ColumnType, isJsonText, jsonPaths } from './column-type.js';

/** Key of the file's metadata under which the places that hold JSON text are listed. */
export const JSON_PATHS_KEY = 'longrun.json';

type Fields = ReadonlyMap<string, ColumnType>;

/** The schema of a file: every column may be null, lists have the three levels that all readers know. */
export function schemaElements(fields: Fields): SchemaElement[] {
  return [
    { name: 'root', num_children: fields.size },
    ...[...fields].flatMap(([name, type]) => elements(name, type)),
  ];
}

function elements(name: string, type: ColumnType): SchemaElement[] {
  const optional = { name, repetition_type: 'OPTIONAL' } as const;
  const text = { ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;
  if (isJsonText(type)) return [text];
  switch (type.kind) {
    case 'boolean':
      return [{ ...optional, type: 'BOOLEAN' }];
    case 'integer':
      return [{ ...optional, type: 'INT64' }];
    case 'float':
      return [{ ...optional, type: 'DOUBLE' }];
    case 'list':
      return [
        { ...optional, converted_type: 'LIST', num_children: 1 },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        ...elements('element', type.item),
      ];
    case 'struct':
      return [
        { ...optional, num_children: type.fields.size },
        ...[...type.fields].flatMap(([field, inner]) => elements(field, inner)),
      ];
    default:
      return [text];
  }
}

/** What the file says about itself. */
export function fileMetadata(fields: Fields): { key: string; value: string }[] {
  return [{ key: JSON_PATHS_KEY, value: JSON.stringify(jsonPaths({ kind: 'struct', fields })) }];
}

/** A JSON value as the writer takes it for a column of this type. */
export function columnValue(type: ColumnType, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (isJsonText(type)) return JSON.stringify(value);
  switch (type.kind) {
    case 'integer':
      return BigInt(value as number);
    case 'list':
      return (value as unknown[]).map((item) => columnValue(type.item, item));
    case 'struct':
      return Object.fromEntries(
        [...type.fields].map(([name, field]) => [name, columnValue(field, (value as Row)[name])]),
      );
    default:
      return value;
  }
}

type Row = Readonly<Record<string, unknown>>;
