import type { ToolSchema } from '../../src/core/model/messages.js';

/** Tools with these names and any arguments. */
export function tools(...names: string[]): ToolSchema[] {
  return names.map((name) => ({ name, description: '', parameters: { type: 'object' } }));
}
