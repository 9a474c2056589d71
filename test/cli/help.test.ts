import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { processIo } from '../../src/cli/cli-io.js';
import { buildProgram } from '../../src/cli/program.js';
import { longrun } from './support/longrun.js';

const program = await buildProgram(processIo(), () => true);
const all = (command: Command, path: string[] = []): string[][] =>
  command.commands.flatMap((child) => [[...path, child.name()], ...all(child, [...path, child.name()])]);
const commands = all(program).filter((path) => path[0] !== 'help');
const find = (path: string[]): Command =>
  path.reduce<Command>((at, name) => at.commands.find((child) => child.name() === name) as Command, program);
const leaves = commands.filter((path) => find(path).commands.length === 0);

describe('help', () => {
  it('lists the commands of the manual', async () => {
    const { code, stdout } = await longrun(['--help']);
    expect(code).toBe(0);
    const names = [
      'evaluate',
      'runs',
      'rollouts',
      'tasks',
      'worker',
      'up',
      'down',
      'doctor',
      'schema',
      'completion',
    ];
    for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  it.each(commands)('of %s %s ends with an example', async (...path) => {
    const { code, stdout } = await longrun([...path, '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Examples?:\n(.*\n)*? +\$ .*longrun/);
  });

  it('is what longrun prints when it is called without anything', async () => {
    expect((await longrun([])).stdout).toBe((await longrun(['--help'])).stdout);
  });

  it('names the flags of evaluate from the settings', async () => {
    const { stdout } = await longrun(['evaluate', '--help']);
    for (const flag of [
      '--model <id>',
      '--max-attempts <n>',
      '--fail-under <rate>',
      '--detach',
      '--json',
      '--config <file>',
    ])
      expect(stdout).toContain(flag);
    expect(stdout).toContain('(default: 3)');
  });

  it.each(leaves)('of %s %s offers --json', (...path) => {
    expect(find(path).options.map((option) => option.long)).toContain('--json');
  });

  it('loads neither zod nor Temporal nor the logger, so that it is quick', () => {
    const source = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
    expect([...packagesBehind(source)].filter((name) => !name.startsWith('node:'))).toEqual(['commander']);
  });
});

/** Packages that a file imports when it is loaded, through all of our own files. */
function packagesBehind(file: string, seen = new Set<string>()): Set<string> {
  const found = new Set<string>();
  if (seen.has(file)) return found;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, name = ''] of text.matchAll(
    /^(?:import|export)\s(?!type\s)[^;]*?from '([^']+)';|^import '([^']+)';/gm,
  )) {
    if (!name.startsWith('.')) found.add(name);
    else
      for (const behind of packagesBehind(resolve(dirname(file), name.replace(/\.js$/, '.ts')), seen))
        found.add(behind);
  }
  return found;
}
