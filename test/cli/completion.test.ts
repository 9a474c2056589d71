import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/state.js';
import { longrun } from './support/longrun.js';

const suggestions = async (words: string[], env = {}): Promise<string[]> => {
  const { code, stdout } = await longrun(['complete', '--', ...words], env);
  expect(code).toBe(0);
  return stdout
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(':'))
    .map((line) => line.split('\t')[0] as string);
};

describe('shell completion', () => {
  it.each(['bash', 'zsh', 'fish', 'powershell'])('prints a script for %s', async (shell) => {
    const { code, stdout } = await longrun(['completion', shell]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/longrun/);
    expect(stdout).toMatch(/complete .?--/);
  });

  it('suggests commands, subcommands and flags', async () => {
    expect(await suggestions(['ev'])).toEqual(['evaluate']);
    expect(await suggestions(['runs', 're'])).toEqual(['resume', 'recover']);
    expect(await suggestions(['evaluate', '--max'])).toEqual([
      '--max-attempts',
      '--max-turns',
      '--max-tokens',
    ]);
    expect(await suggestions(['completion', 'z'])).toEqual(['zsh']);
  });

  it('suggests the values of a setting', async () => {
    expect(await suggestions(['evaluate', '--sandbox', ''])).toEqual([
      'auto',
      'docker',
      'bubblewrap',
      'memory',
    ]);
    expect(await suggestions(['evaluate', '--agent', 'o'])).toEqual(['oracle']);
  });

  it('suggests environments, folders and the runs of the state folder', async () => {
    const state = await temporaryFolder();
    mkdirSync(join(state, 'store', 'runs', 'run-of-mine'), { recursive: true });
    expect(await suggestions(['evaluate', 'tb'])).toEqual(['tblite']);
    expect(await suggestions(['evaluate', `${state}/s`])).toEqual([`${state}/store/`]);
    expect(await suggestions(['runs', 'show', ''], { LONGRUN_HOME: state })).toEqual(['run-of-mine']);
  });
});
