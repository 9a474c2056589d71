import { LongrunError } from '../../core/errors.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { readTar } from '../../sandbox/tar-entries.js';
import { type RewardReading, readReward } from '../harbor/reward.js';
import { REWARD_LIMIT_BYTES } from './verifier-script.js';

/** What the ended test script printed: the reward it found, and the end of what the tests said. */
export function readTestReport(printed: Uint8Array): { reading: RewardReading; testOutput: string } {
  const bytes = Buffer.from(printed);
  // A shell may complain before it; what the tests themselves said comes after it.
  const found = /^longrun-reward (none|special|json|txt) (\d+)\n/m.exec(bytes.toString('latin1'));
  const [line = '', kind, digits] = found ?? [];
  const lineEnd = (found?.index ?? 0) + line.length - 1;
  const size = Number(digits ?? 0);
  const rewardEnd = lineEnd + 1 + Math.min(size, REWARD_LIMIT_BYTES);
  const text = bytes.subarray(lineEnd + 1, rewardEnd).toString('utf8');
  const testOutput = bytes.subarray(rewardEnd + 1).toString('utf8');
  return { reading: readingOf(kind, size, text), testOutput };
}

function readingOf(kind: string | undefined, size: number, text: string): RewardReading {
  const hint = 'reward.txt and reward.json are small, plain files.';
  const refused = (why: string): RewardReading => ({
    ok: false,
    message: `the reward could not be read: ${why}`,
    hint,
  });
  if (kind === undefined) return refused('the test script did not say what it found');
  if (kind === 'special') return refused('it is not a plain file');
  if (size > REWARD_LIMIT_BYTES)
    return refused(`the file holds ${size} bytes, more than ${REWARD_LIMIT_BYTES}`);
  return readReward({ json: kind === 'json' ? text : null, text: kind === 'txt' ? text : null });
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
