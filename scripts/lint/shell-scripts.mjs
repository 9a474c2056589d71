#!/usr/bin/env node
/**
 * Reads every shell script of ours that is embedded in the sources (templates marked with `shell`) with shellcheck.
 * Names what it finds by the line of the source, and scripts that are not marked.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages, mayInstall } from '../setup/packages.mjs';
import { ROOT } from '../setup/root.mjs';
import { which } from '../setup/run.mjs';
import { shellScripts, unmarkedScripts } from './find-shell-scripts.mjs';

/** Scripts are put together of parts: what one assigns another uses. */
const OF_PARTS = ['SC2030', 'SC2031', 'SC2034', 'SC2154', 'SC2317'];
/** Ways of writing that shellcheck asks beginners to think over. */
const MEANT = ['SC1007', 'SC2015'];
/** Values are put in as this word, which is a number as well. */
const VALUE = '1';

if (which('shellcheck') === null) {
  const problem = mayInstall({ check: false, yes: false })
    ? await installPackages(['shellcheck'])
    : 'shellcheck is missing: install it (Debian, Ubuntu: apt-get install shellcheck; macOS: brew install shellcheck).';
  if (problem !== null) {
    console.error(problem);
    process.exit(1);
  }
}

const problems = [];
let count = 0;
for (const entry of readdirSync(join(ROOT, 'src'), { recursive: true })) {
  if (!entry.endsWith('.ts')) continue;
  const name = join('src', entry);
  const source = readFileSync(join(ROOT, name), 'utf8');
  for (const line of unmarkedScripts(source))
    problems.push(`${name}:${line}: mark this script with \`shell\``);
  for (const { line, text } of shellScripts(source, VALUE)) {
    count += 1;
    const options = ['--shell=sh', `--exclude=${[...OF_PARTS, ...MEANT].join(',')}`, '--format=json', '-'];
    const { stdout, stderr } = spawnSync('shellcheck', options, { input: text, encoding: 'utf8' });
    if (stderr !== '') problems.push(`${name}:${line}: ${stderr.trim()}`);
    for (const found of JSON.parse(stdout || '[]'))
      problems.push(`${name}:${line + found.line - 1}: SC${found.code} ${found.message}`);
  }
}
for (const problem of problems) console.error(problem);
console.log(`${count} shell scripts, ${problems.length} problems`);
process.exitCode = problems.length === 0 && count > 0 ? 0 : 1;
