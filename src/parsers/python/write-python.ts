import { unmarkedJson } from '../json/escaped-json.js';

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A call in Python's notation; arguments whose names Python does not allow are spread from a dictionary. */
export function writePythonCall(call: { name: string; arguments: Record<string, unknown> }): string {
  const entries = Object.entries(call.arguments);
  const named = entries.filter(([key]) => IDENTIFIER.test(key));
  const other = entries.filter(([key]) => !IDENTIFIER.test(key));
  const written = named.map(([key, value]) => `${key}=${writePython(value)}`);
  if (other.length > 0) written.push(`**${writeDict(other)}`);
  return `${call.name}(${written.join(', ')})`;
}

/** A value of JSON as a Python literal; texts are written as JSON does, which Python reads the same way. */
export function writePython(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(writePython).join(', ')}]`;
  return typeof value === 'object' ? writeDict(Object.entries(value)) : unmarkedJson(value);
}

function writeDict(entries: readonly [string, unknown][]): string {
  return `{${entries.map(([key, value]) => `${unmarkedJson(key)}: ${writePython(value)}`).join(', ')}}`;
}
