import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The content of every file of a folder, by name. */
export function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((file) => file.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}

/** The rows of a file; none where it is not there. */
export function rowsOf(folder: string, name: string): Record<string, unknown>[] {
  const text = contentOf(folder)[name] ?? '';
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
