#!/usr/bin/env node
/**
 * Holds the direction of imports. `layers.json` lists every folder of the product once; a folder may import those that
 * come after it, types included, and nothing else of ours. Only folders that are marked so know Temporal.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../setup/root.mjs';
import { circles, folderOf, importGraph } from './layers/import-graph.mjs';

export const LAYERS = JSON.parse(readFileSync(new URL('layers.json', import.meta.url), 'utf8'));

/** What the files of a folder break, a line each. */
export function layerProblems(root, layers = LAYERS) {
  const order = new Map(layers.map((layer, place) => [layer.folder, { ...layer, place }]));
  const graph = importGraph(root);
  const problems = [];
  for (const [file, imports] of graph) {
    const from = order.get(folderOf(file));
    if (from === undefined) {
      problems.push(
        `${file}: its folder ${folderOf(file)} is not in scripts/lint/layers.json; give it its place there`,
      );
      continue;
    }
    for (const one of imports) {
      const problem = judge(from, one, order);
      if (problem !== null) problems.push(`${file}:${one.line}: ${problem}`);
    }
  }
  const files = new Map(
    [...graph].map(([file, imports]) => [file, imports.flatMap(({ file: to }) => to ?? [])]),
  );
  for (const circle of circles(files)) problems.push(`these files import each other: ${circle.join(', ')}`);
  return problems;
}

function judge(from, { specifier, file }, order) {
  if (specifier.startsWith('@temporalio/') && !from.temporal)
    return `${from.folder} does not know Temporal, and imports ${specifier}`;
  if (file === null) return null;
  const to = order.get(folderOf(file));
  if (to === undefined || to.folder === from.folder) return null;
  if (to.place < from.place) return `${from.folder} imports ${file}, which comes before it`;
  if (from.only && !from.only.some((folder) => file.startsWith(`${folder}/`)))
    return `${from.folder} may import only ${from.only.join(', ')}, and imports ${file}`;
  return null;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const problems = layerProblems(ROOT);
  for (const problem of problems) console.error(problem);
  console.log(`${LAYERS.length} folders, ${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
