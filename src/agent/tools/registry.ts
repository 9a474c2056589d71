import { badInput } from '../../core/errors.js';
import type { Tool } from '../tool.js';
import { finish } from './finish.js';
import { patch } from './patch.js';
import { readFile } from './read-file.js';
import { searchFiles } from './search-files.js';
import { terminal } from './terminal.js';
import { todo } from './todo.js';
import { writeFile } from './write-file.js';

const ALL: readonly Tool[] = [terminal, readFile, writeFile, patch, searchFiles, todo, finish];
export const TOOL_NAMES: readonly string[] = ALL.map((tool) => tool.schema.name);

/** The tools of an environment, in the order it names them. Throws `bad_input` for an unknown name. */
export function toolsByName(names: readonly string[]): Tool[] {
  return names.map((name) => {
    const tool = ALL.find((candidate) => candidate.schema.name === name);
    if (!tool) throw badInput(`There is no tool "${name}"`, `There are ${TOOL_NAMES.join(', ')}`);
    return tool;
  });
}
