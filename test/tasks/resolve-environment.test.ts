import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveEnvironment } from '../../environments/resolve-environment.js';
import { environmentForRun } from '../../src/worker/environment-for-run.js';
import { errorOf, writeTask } from './support/task-folder.js';

async function idsOf(
  environment: Awaited<ReturnType<typeof resolveEnvironment>>,
  cursor: string | null = null,
) {
  const ids: string[] = [];
  for await (const { task } of environment.items(cursor)) ids.push(task.taskId);
  return ids;
}

describe('an environment is found by what the user types', () => {
  it('a task folder or a folder of tasks', async () => {
    const dir = await writeTask({}, 'only-one');
    const environment = await resolveEnvironment(dir);
    expect(environment).toMatchObject({ name: 'only-one', source: dir, passThreshold: 1 });
    expect(environment.tools).toContain('terminal');
    expect(await idsOf(environment)).toEqual(['only-one']);
    expect(await idsOf(await resolveEnvironment(join(dir, '..')))).toEqual(['only-one']);
  });

  it('after a cursor, and through the selection', async () => {
    const fixtures = join(import.meta.dirname, '../fixtures/harbor');
    const all = await resolveEnvironment(fixtures);
    expect(await idsOf(all, 'hello-file')).toEqual(['sealed-verifier', 'two-steps']);
    const selection = { globs: ['*-*'], limit: 2 };
    const some = await resolveEnvironment(fixtures, { selection });
    expect(await idsOf(some)).toEqual(['hello-file', 'sealed-verifier']);
  });

  it('a built-in one, from the sources', async () => {
    const environment = await resolveEnvironment('tblite');
    expect(environment).toMatchObject({ name: 'tblite', source: 'builtin' });
    expect(environmentForRun({ environment: { name: 'tblite', source: 'builtin' } }, {}).name).toBe('tblite');
  });

  it('or the error says what exists and what a typing error meant', async () => {
    const error = await errorOf(resolveEnvironment('tblit'));
    expect(error).toMatchObject({ code: 'bad_input', exitCode: 2 });
    expect(error.hint).toMatch(/^Did you mean tblite\?/);
    expect((await errorOf(resolveEnvironment('./nowhere'))).hint).toMatch(/^Built in: tblite/);
    expect((await errorOf(resolveEnvironment('constructor'))).code).toBe('bad_input');
  });

  it('and an empty folder is no environment', async () => {
    const dir = await writeTask({});
    await mkdir(join(dir, '../empty'));
    const environment = await resolveEnvironment(join(dir, '../empty'));
    await expect(idsOf(environment)).rejects.toMatchObject({ code: 'bad_input' });
  });
});
