import { chmod, chown, lchown, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkStateFolder } from '../../src/config/check-state-folder.js';
import { LongrunError } from '../../src/core/errors.js';
import { temporaryFolder, temporaryStateDir } from '../support/state.js';
import { threat } from '../support/threat.js';
import { longrun } from './support/longrun.js';

const SOMEBODY = 1000;

/** These tests are root's, who may give a folder away. */
async function ownedBy(uid: number, mode = 0o700): Promise<string> {
  const folder = await temporaryStateDir();
  await chown(folder, uid, uid);
  await chmod(folder, mode);
  return folder;
}

const listRuns = (folder: string) => longrun(['runs', 'list', '--json'], { LONGRUN_HOME: folder });

async function refused(folder: string): Promise<{ message: string; hint: string }> {
  const { code, json } = await listRuns(folder);
  expect(code).toBe(2);
  expect(json().error.code).toBe('bad_input');
  return json().error;
}

/** What a process of this user would be told: an error, else its warnings. */
function checkedAs(uid: number, folder: string): string[] {
  process.seteuid?.(uid);
  try {
    return checkStateFolder(folder);
  } catch (error) {
    if (!LongrunError.is(error)) throw error;
    return [error.message, error.hint ?? ''];
  } finally {
    process.seteuid?.(0);
  }
}

describe(threat('another user of this machine', 'the state folder'), () => {
  it('one that belongs to somebody else is refused, with the command that takes it over', async () => {
    const folder = await ownedBy(SOMEBODY);
    const { message, hint } = await refused(folder);
    expect(message).toBe(
      `the state folder ${folder} belongs to another user: found owner uid 1000 (mode 0700), accepted: uid 0.`,
    );
    expect(hint).toContain(`chown -hR 0 ${folder}.`);
    await chown(folder, 0, 0);
    expect((await listRuns(folder)).code).toBe(0);
  });

  it.each([0o777, 0o770, 0o702])('one that others may write to (mode %o) is refused', async (mode) => {
    const folder = await ownedBy(0, mode);
    const { message, hint } = await refused(folder);
    expect(message).toContain(`found mode 0${mode.toString(8)} (owner uid 0), accepted:`);
    expect(hint).toContain(`chmod go-w ${folder}.`);
    await chmod(folder, mode & ~0o022);
    expect((await listRuns(folder)).code).toBe(0);
  });

  it('a folder that all users share is refused as one, but one of its own below it is fine', async () => {
    const shared = await ownedBy(0, 0o1777);
    expect((await refused(shared)).hint).toContain('one of your own below it');
    const { code, stderr } = await listRuns(join(shared, 'mine'));
    expect(code).toBe(0);
    expect(stderr).toBe('');
  });

  it('a link that somebody else has made is refused, even when it leads to a folder of ours', async () => {
    const link = join(await temporaryFolder(), 'link');
    await symlink(await ownedBy(0), link);
    expect((await listRuns(link)).code).toBe(0);
    await lchown(link, SOMEBODY, SOMEBODY);
    expect((await refused(link)).message).toContain(
      `the link to the state folder ${link} belongs to another`,
    );
  });

  it('a command names a folder of any name as one word', async () => {
    const folder = join(await temporaryFolder(), "it's; rm -r $HOME");
    await mkdir(folder, { mode: 0o700 });
    await chmod(folder, 0o777);
    expect((await refused(folder)).hint).toContain(`it'\\''s; rm -r $HOME'.`);
  });

  it('one that others may read, or replace, is used with a warning that says what to do', async () => {
    const folder = await ownedBy(0, 0o755);
    expect((await listRuns(folder)).stderr).toContain(`chmod 700 ${folder}`);
    const open = await ownedBy(0, 0o777);
    const { code, stderr } = await listRuns(join(open, 'mine'));
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect((await listRuns(join(open, 'mine'))).stderr).toContain(`chmod +t ${open}`);
  });

  it('the home folder of a container may belong to whomever: what counts is the state folder', async () => {
    const home = await ownedBy(SOMEBODY, 0o755);
    const env = { LONGRUN_HOME: '', XDG_STATE_HOME: '', HOME: home };
    for (const time of ['first', 'second']) {
      const { code, stderr } = await longrun(['runs', 'list', '--json'], env);
      expect([time, code, stderr]).toEqual([time, 0, '']);
    }
  });

  it('a user who is not root may use what is theirs, and no other user’s', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'longrun-shared-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await chmod(folder, 0o755);
    const [own, others] = [join(folder, 'own'), join(folder, 'others')];
    for (const [path, uid] of [
      [own, SOMEBODY],
      [others, 2000],
    ] as const) {
      await mkdir(path, { mode: 0o700 });
      await chown(path, uid, uid);
    }
    expect(checkedAs(SOMEBODY, own)).toEqual([]);
    const [message, hint] = checkedAs(SOMEBODY, others);
    expect(message).toContain('found owner uid 2000 (mode 0700), accepted: uid 1000 or root.');
    expect(hint).toContain('choose another with --state-dir');
    expect(checkedAs(SOMEBODY, join(others, 'unseen'))).toEqual([]);
  });
});
