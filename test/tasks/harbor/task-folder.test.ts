import { chmod, mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTar } from '../../../src/sandbox/tar-entries.js';
import { loadHarborTask } from '../../../src/tasks/harbor/load-task.js';
import { errorOf, writeTask } from '../support/task-folder.js';

const load = async (dir: string) => {
  const loaded = await loadHarborTask(dir);
  const { image } = loaded.task.metadata.sandbox;
  if (image.kind !== 'dockerfile') throw new Error('the task is built from a Dockerfile');
  const step = loaded.task.evalCriteria.steps[0];
  return { loaded, context: image.context, digest: loaded.task.metadata.source.digest, step };
};

describe('the files of a task', () => {
  it('have the same digests wherever and whenever they were checked out', async () => {
    const files = { 'environment/data/a.txt': 'a', 'environment/b.txt': 'b' };
    const [one, two] = [await writeTask(files), await writeTask(files)];
    await utimes(join(two, 'environment/b.txt'), 1, 1);
    const [first, second] = [await load(one), await load(two)];
    expect(second.context).toEqual(first.context);
    expect(second.digest).toBe(first.digest);
    expect(second.step?.verifier.tests).toEqual(first.step?.verifier.tests);
  });

  it('have another digest when a byte or an execute bit changes', async () => {
    const dir = await writeTask({ 'environment/b.txt': 'b' });
    const before = await load(dir);
    await chmod(join(dir, 'environment/b.txt'), 0o755);
    const executable = await load(dir);
    await writeFile(join(dir, 'environment/b.txt'), 'c');
    const changed = await load(dir);
    expect(new Set([before, executable, changed].map(({ digest }) => digest)).size).toBe(3);
    expect(new Set([before, executable, changed].map(({ context }) => context.sha256)).size).toBe(3);
  });

  it('keep their modes, folders and links inside', async () => {
    const dir = await writeTask({ 'environment/run.sh': 'x', 'environment/sub/link': '-> ../run.sh' });
    await mkdir(join(dir, 'environment/empty'));
    const { loaded, context } = await load(dir);
    const tar = (await loaded.blobs.get(context.sha256)?.()) as Uint8Array;
    expect(tar.length).toBe(context.bytes);
    const entries = await readTar(tar);
    expect(entries.map(({ path, type, mode, target }) => [path, type, mode.toString(8), target])).toEqual([
      ['Dockerfile', 'file', '644', ''],
      ['empty', 'directory', '755', ''],
      ['run.sh', 'file', '755', ''],
      ['sub', 'directory', '755', ''],
      ['sub/link', 'symlink', '777', '../run.sh'],
    ]);
  });

  it('go into a build without what .dockerignore names', async () => {
    const dir = await writeTask({
      'environment/.dockerignore': '# no logs\n*.log\nsecret\n!secret/but-this.txt\nDockerfile\n',
      'environment/a.log': 'x',
      'environment/keep.txt': 'x',
      'environment/secret/but-this.txt': 'x',
      'environment/secret/key': 'x',
    });
    const { loaded, context } = await load(dir);
    const entries = await readTar((await loaded.blobs.get(context.sha256)?.()) as Uint8Array);
    expect(entries.map(({ path }) => path)).toEqual([
      '.dockerignore',
      'Dockerfile',
      'keep.txt',
      'secret',
      'secret/but-this.txt',
    ]);
  });

  it('that change while a run is being started are noticed', async () => {
    const dir = await writeTask({ 'environment/b.txt': 'b' });
    const { loaded, context } = await load(dir);
    await writeFile(join(dir, 'environment/b.txt'), 'changed');
    const error = await errorOf(loaded.blobs.get(context.sha256)?.() as Promise<unknown>);
    expect(error).toMatchObject({ code: 'task_invalid' });
  });

  it('are called by the name of their folder', async () => {
    const dir = await writeTask({}, 'My task (v2)!');
    expect((await load(dir)).loaded.task.taskId).toBe('My-task-v2-');
  });
});
