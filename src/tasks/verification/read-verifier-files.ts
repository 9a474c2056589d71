import { LongrunError } from '../../core/errors.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { readTar } from '../../sandbox/tar-entries.js';
import { type RewardReading, readReward } from '../harbor/reward.js';
import { SUSPECT_WORD } from './leftover-script.js';
import { answerWords, REWARD_LIMIT_BYTES } from './verifier-script.js';

export interface TestReport {
  reading: RewardReading;
  /** The end of what the tests said. */
  testOutput: string;
  /** What looked like tampering before and after them. */
  suspicions: string[];
}

/** What the ended test script printed, which was given `nonce`. */
export function readTestReport(printed: Uint8Array, nonce: string): TestReport {
  const bytes = Buffer.from(printed);
  const words = answerWords(nonce);
  // A shell may complain before it; what the tests themselves said comes after it.
  const lineStart = startOfLine(bytes, words.reward);
  const lineEnd = lineStart < 0 ? -1 : bytes.indexOf('\n', lineStart);
  const line = lineEnd < 0 ? '' : bytes.toString('latin1', lineStart + words.reward.length, lineEnd);
  const [, kind, digits] = /^ (none|special|json|txt) (\d{1,15})$/.exec(line) ?? [];
  const size = Number(digits ?? 0);
  const rewardEnd = lineEnd + 1 + Math.min(size, REWARD_LIMIT_BYTES);
  const text = bytes.toString('utf8', lineEnd + 1, rewardEnd);
  const rest = bytes.subarray(rewardEnd + 1);
  const outputAt = kind === undefined ? -1 : rest.indexOf(`${words.output}\n`);
  const ownWords = [bytes.subarray(0, Math.max(0, lineStart)), rest.subarray(0, Math.max(0, outputAt))];
  return {
    reading: readingOf(kind, size, text),
    testOutput: rest.subarray(outputAt < 0 ? 0 : outputAt + words.output.length + 1).toString('utf8'),
    suspicions: ownWords.flatMap(readSuspicions),
  };
}

function startOfLine(bytes: Buffer, word: string): number {
  if (bytes.indexOf(word) === 0) return 0;
  const before = bytes.indexOf(`\n${word}`);
  return before < 0 ? -1 : before + 1;
}

const MOST_SUSPICIONS = 20;

/** The suspicions among what a script of ours printed. */
export function readSuspicions(printed: Uint8Array): string[] {
  const lines = Buffer.from(printed).toString('utf8').split('\n');
  const suspicions = lines.filter((line) => line.startsWith(`${SUSPECT_WORD} `));
  return suspicions.map((line) => line.slice(SUSPECT_WORD.length + 1).trim()).slice(0, MOST_SUSPICIONS);
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
