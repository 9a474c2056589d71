import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { chmod, lchown, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LineFile as NumberedLines } from '../../src/sinks/tinker/line-file.js';
import { APPENDING, createFile, openOwn } from '../../src/store/filesystem/open-own.js';
import { Ledger } from '../../src/trajectories/files/ledger.js';
import { GrowingOutput } from '../../src/trajectories/process/growing-output.js';
import { episodeOf } from '../core/reward/episode-of.js';
import { temporaryFolder } from '../support/state.js';
import { threat } from '../support/threat.js';
import { episodeFile } from './support/episode-file.js';
import { longrun } from './support/longrun.js';

const SOMEBODY = 1000;
const EXPORT = ['traj', 'export', '--format', 'sharegpt'];
const PRECIOUS = 'precious\n';

/** A folder like /tmp, and a file of ours elsewhere to which others make links in it. */
async function sharedFolder() {
  const folder = await temporaryFolder();
  await chmod(folder, 0o1777);
  const precious = join(await temporaryFolder(), 'precious');
  await writeFile(precious, PRECIOUS);
  const plant = async (name: string, uid = SOMEBODY): Promise<string> => {
    const path = join(folder, name);
    await symlink(precious, path);
    await lchown(path, uid, uid);
    return path;
  };
  return { folder, precious, plant };
}

const rows = async () =>
  episodeFile(join(await temporaryFolder(), 'rows.jsonl'), [
    episodeOf([{ thinks: 'hm' }], { sessionId: 's' }),
  ]);

describe(
  threat('another user of this machine', 'files of ours, by links in a folder that users share'),
  () => {
    it.each(['out.jsonl', 'out.parquet'])(
      'the hidden file of an --output %s is made anew, and the output is ours',
      async (name) => {
        const { folder, precious, plant } = await sharedFolder();
        const hidden = [`.${name}.partial`, `.${name}.rows.partial`];
        for (const one of hidden) await plant(one);
        const { code, stderr } = await longrun([...EXPORT, await rows(), '--output', join(folder, name)]);
        expect([code, stderr]).toEqual([0, '']);
        expect(lstatSync(join(folder, name)).isFile()).toBe(true);
        expect(readFileSync(precious, 'utf8')).toBe(PRECIOUS);
      },
    );

    it('an output under a name that a link has is refused, and with --force takes its place', async () => {
      const { folder, precious, plant } = await sharedFolder();
      const output = await plant('out.jsonl');
      const words = [...EXPORT, await rows(), '--output', output];
      expect((await longrun(words)).stderr).toContain('exists already');
      expect((await longrun([...words, '--force'])).code).toBe(0);
      expect(lstatSync(output).isFile()).toBe(true);
      expect(readFileSync(precious, 'utf8')).toBe(PRECIOUS);
      expect(existsSync(join(folder, '.out.jsonl.partial'))).toBe(false);
    });

    it('ledgers, files that grow and those of a trainer do not go through one either', async () => {
      const { folder, precious, plant } = await sharedFolder();
      await plant('.manifest.json.partial');
      const growing = await GrowingOutput.open({ folder, header: {} as never, files: [], force: false });
      await growing.place('manifest.json', '{}');
      expect(lstatSync(join(folder, 'manifest.json')).isFile()).toBe(true);
      const index = await NumberedLines.open(await plant('index.jsonl'));
      await expect(index.put('a line')).rejects.toMatchObject({ code: 'bad_input' });
      await expect(Ledger.open(await plant('out.scores.jsonl'))).rejects.toMatchObject({ code: 'bad_input' });
      expect(await readFile(precious, 'utf8')).toBe(PRECIOUS);
    });

    it('the error says whose link it is and where it leads', async () => {
      const { precious, plant } = await sharedFolder();
      const path = await plant('trajectory_samples.jsonl');
      await expect(openOwn(path, APPENDING)).rejects.toMatchObject({
        code: 'bad_input',
        message: `${path} was put there by another user: found a link to ${precious} of uid 1000, accepted: nothing, or a file or link of uid 0.`,
        hint: expect.stringContaining('Remove it'),
      });
    });

    it('links of our own lead where they always did', async () => {
      const { folder, precious, plant } = await sharedFolder();
      const first = await plant('first', 0);
      await symlink(first, join(folder, 'second'));
      const file = await openOwn(join(folder, 'second'), APPENDING);
      await file.appendFile('more\n');
      await file.close();
      expect(readFileSync(precious, 'utf8')).toBe(`${PRECIOUS}more\n`);
      await symlink('loop', join(folder, 'loop'));
      await expect(openOwn(join(folder, 'loop'), APPENDING)).rejects.toMatchObject({ code: 'ELOOP' });
    });

    it('a user who may not remove what another has put there is told so', async () => {
      const { folder, precious } = await sharedFolder();
      const path = join(folder, 'theirs');
      await symlink(precious, path);
      await lchown(path, 2000, 2000);
      process.seteuid?.(SOMEBODY);
      try {
        await expect(createFile(path)).rejects.toMatchObject({
          code: 'bad_input',
          message: expect.stringContaining('of uid 2000, accepted: nothing, or a file or link of uid 1000.'),
        });
      } finally {
        process.seteuid?.(0);
      }
    });
  },
);
