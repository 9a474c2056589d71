#!/usr/bin/env node
/**
 * Fails on every regular expression that is not proved to take linear time: what it reads may come from a model, a
 * sandbox, a task or a client. Where the text is short or trusted, a comment beside it says why:
 * `// Not proved linear: <reason>`. An argument names another folder than this project's.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ROOT } from '../setup/root.mjs';
import { findExpressions } from './regular-expressions/find-expressions.mjs';
import { judgeExpression, verdictKey } from './regular-expressions/judge-expression.mjs';
import { readVerdicts, writeVerdicts } from './regular-expressions/verdict-cache.mjs';

const FOLDERS = ['src', 'workflows', 'activities', 'environments'];
/** Folders of benchmark tasks hold the tasks' own code. */
const TASKS = /^environments\/[^/]+\/tasks\//;
/** So many are judged at once. */
const PROCESSES = 2;

const root = resolve(process.argv[2] ?? ROOT);
const expressions = filesOf(root).flatMap((file) =>
  findExpressions(readFileSync(join(root, file), 'utf8')).map((found) => ({ file, ...found })),
);
const verdicts = await judgeAll(
  expressions.filter(({ source, reason }) => source !== null && reason === null),
);
const problems = expressions.flatMap(problemOf);
for (const problem of problems) console.log(problem);
console.log(`${expressions.length} regular expressions, ${problems.length} not proved linear`);
process.exit(problems.length === 0 ? 0 : 1);

function filesOf(folder) {
  return FOLDERS.filter((name) => existsSync(join(folder, name)))
    .flatMap((name) => readdirSync(join(folder, name), { recursive: true }).map((path) => `${name}/${path}`))
    .filter((path) => path.endsWith('.ts') && !TASKS.test(path))
    .sort();
}

/** Key → verdict, of what was judged before and what is judged now. */
async function judgeAll(all) {
  const known = readVerdicts();
  const waiting = new Map(all.map((one) => [verdictKey(one), one]).filter(([key]) => !known.has(key)));
  if (waiting.size > 0) console.log(`judging ${waiting.size} regular expressions that are new here …`);
  const next = waiting.entries();
  const judge = async () => {
    for (const [key, one] of next) known.set(key, await judgeExpression(one));
  };
  await Promise.all(Array.from({ length: PROCESSES }, judge));
  if (waiting.size > 0) writeVerdicts(known);
  return known;
}

function problemOf({ file, line, source, flags, reason }) {
  if (reason !== null) return [];
  if (source === null) return [`${file}:${line}: only a running program knows this regular expression`];
  const verdict = verdicts.get(verdictKey({ source, flags }));
  return verdict.linear === true
    ? []
    : [`${file}:${line}: /${source}/${flags} is not linear: ${verdict.because}`];
}
