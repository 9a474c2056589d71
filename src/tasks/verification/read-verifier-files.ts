import { LongrunError } from '../../core/errors.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { readTar } from '../../sandbox/tar-entries.js';
import { type RewardReading, readReward } from '../harbor/reward.js';

/** Of a reward file with the tar around it; a reward is a few numbers. */
const REWARD_LIMIT_BYTES = 256 * 1024;

/** The reward that the tests left in /logs/verifier. */
export async function readRewardOf(sandbox: Sandbox): Promise<RewardReading> {
  try {
    const json = await readText(sandbox, '/logs/verifier/reward.json', REWARD_LIMIT_BYTES);
    const text =
      json === null ? await readText(sandbox, '/logs/verifier/reward.txt', REWARD_LIMIT_BYTES) : null;
    return readReward({ json, text });
  } catch (error) {
    if (!LongrunError.is(error, 'archive_refused')) throw error;
    const hint = 'reward.txt and reward.json are small, plain files.';
    return { ok: false, message: `the reward could not be read: ${error.message}`, hint };
  }
}

/** The end of a file that a killed command left, or nothing. */
export async function readTail(
  sandbox: Sandbox,
  path: string,
  bytes: number,
  limitBytes: number,
): Promise<string> {
  try {
    const text = (await readText(sandbox, path, limitBytes)) ?? '';
    return Buffer.from(text).subarray(-bytes).toString('utf8');
  } catch (error) {
    if (LongrunError.is(error, 'archive_refused')) return '';
    throw error;
  }
}

/** Null when there is no such file. Error: `archive_refused` when it is too large or no plain file. */
async function readText(sandbox: Sandbox, path: string, limitBytes: number): Promise<string | null> {
  const tar = await sandbox.getArchive(path, limitBytes);
  if (tar === null) return null;
  const [entry] = await readTar(tar);
  if (entry === undefined || entry.type !== 'file') {
    throw new LongrunError(
      'archive_refused',
      `${path} is a ${entry?.type ?? 'special file'}, not a plain file`,
    );
  }
  return Buffer.from(entry.content).toString('utf8');
}
