import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { findImports } from './find-imports.mjs';

/** Top folders that hold code of the product; of `src` each folder is one of its own. */
const TOPS = ['src', 'workflows', 'activities', 'environments', 'bench'];
/** Folders that hold what tasks need, not code of ours. */
const NOT_OURS = /^environments\/[^/]+\/tasks\//;

/** Every source file of the product → what it imports: another file of it (`file`), or a package (`specifier`). */
export function importGraph(root) {
  const files = TOPS.flatMap((top) => sources(root, top));
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const imports = findImports(readFileSync(join(root, file), 'utf8')).map(({ specifier, line }) => {
        if (!specifier.startsWith('.')) return { specifier, line, file: null };
        const target = posix.join(posix.dirname(file), specifier).replace(/\.js$/, '.ts');
        return { specifier, line, file: known.has(target) ? target : null };
      });
      return [file, imports];
    }),
  );
}

function sources(root, top) {
  return readdirSync(join(root, top), { recursive: true })
    .map((entry) => posix.join(top, entry.replaceAll('\\', '/')))
    .filter((file) => file.endsWith('.ts') && !NOT_OURS.test(file));
}

/** The folder of the list that a file belongs to: `src/store`, `workflows`; `src` for those at the top of it. */
export function folderOf(file) {
  const [top, second, ...rest] = file.split('/');
  return top === 'src' && rest.length > 0 ? `${top}/${second}` : top;
}

/** The circles of a graph (node → nodes), each as the nodes in it. */
export function circles(graph) {
  const state = { index: new Map(), low: new Map(), stack: [], found: [] };
  for (const node of graph.keys()) if (!state.index.has(node)) visit(node, graph, state);
  return state.found;
}

/** Tarjan's algorithm for strongly connected components. */
function visit(node, graph, state) {
  const { index, low, stack, found } = state;
  index.set(node, index.size);
  low.set(node, index.get(node));
  stack.push(node);
  for (const next of graph.get(node) ?? []) {
    if (!index.has(next)) visit(next, graph, state);
    if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)));
  }
  if (low.get(node) !== index.get(node)) return;
  const component = stack.splice(stack.indexOf(node));
  if (component.length > 1) found.push(component);
}
