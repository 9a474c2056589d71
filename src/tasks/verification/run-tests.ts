import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import type { VerifierSpec } from '../../core/rollout/task.schema.js';
import type { ExecRequest, ExecResult, Sandbox } from '../../sandbox/sandbox.js';
import { readTar, writeTar } from '../../sandbox/tar-entries.js';
import type { RewardContext } from '../reward-context.js';
import { readSuspicions } from './read-verifier-files.js';
import {
  EXIT,
  prepareScript,
  REWARD_LIMIT_BYTES,
  TEST_OUTPUT_BYTES,
  testScript,
  wholeScript,
} from './verifier-script.js';

/** Our own lines: around the reward, and those about what looks suspicious. */
const LINES_BYTES = 16 * 1024;
const NOTHING = new Uint8Array();
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Unpacks the tests beside /tests, under a name that the agent could not prepare for; the script
 * moves them into place. Answers where.
 */
async function stageTests(
  context: RewardContext,
  sandbox: Sandbox,
  verifier: VerifierSpec,
  suffix: string,
): Promise<string> {
  const name = await context.once(`tests-staged${suffix}.txt`, async () => {
    const staged = `/.tests-${randomUUID()}`;
    const tests = await context.loadBlob(verifier.tests);
    await context.guard();
    // From the root, which is there: an engine has to be asked twice for a directory that is not.
    await sandbox.putArchive('/', await below(staged.slice(1), tests));
    return encoder.encode(staged);
  });
  return decoder.decode(name);
}

async function below(folder: string, tar: Uint8Array): Promise<Uint8Array> {
  const entries = (await readTar(tar)).map((entry) => ({
    ...entry,
    path: posix.join(folder, entry.path),
    target: entry.type === 'link' ? posix.join(folder, entry.target) : entry.target,
  }));
  const top = { mode: 0o755, mtime: new Date(0), content: NOTHING, target: '' };
  const rest = entries.filter((entry) => entry.path !== folder);
  return writeTar([{ ...top, path: folder, type: 'directory' }, ...rest]);
}

/** Puts the tests at /tests of a sandbox that no agent has been in. */
export async function placeTests(
  context: RewardContext,
  sandbox: Sandbox,
  verifier: VerifierSpec,
): Promise<void> {
  await context.once('tests-placed.txt', async () => {
    const tests = await context.loadBlob(verifier.tests);
    await context.guard();
    await sandbox.putArchive('/tests', tests);
    return NOTHING;
  });
}

export interface TestRun {
  /** Of the last command. */
  result: ExecResult;
  /** What the first of two commands found suspicious. */
  suspicions: string[];
  /** By which the answer of the tests is known. */
  nonce: string;
}

interface Round {
  context: RewardContext;
  sandbox: Sandbox;
  verifier: VerifierSpec;
  env: Record<string, string>;
  /** Whether the tests are at /tests already. */
  placed: boolean;
}

/**
 * Prepares /tests and /logs/verifier and runs the tests. Where they do not reach their end, because what the agent
 * left running took every process or killed them, once more after a restart, which ends all of that.
 */
export async function runTests(round: Round): Promise<TestRun> {
  const first = await runRound(round, '');
  const { exitCode, timedOut, outcomeUnknown } = first.result;
  if (timedOut || outcomeUnknown || Object.values<number | null>(EXIT).includes(exitCode)) return first;
  const { context, sandbox } = round;
  await context.once('tests-restarted.txt', async () => {
    await context.guard();
    await sandbox.restart();
    return NOTHING;
  });
  return runRound(round, '-again');
}

/** As the verifier's user: one command where that is root, two where it is not. */
async function runRound(round: Round, suffix: string): Promise<TestRun> {
  const { context, sandbox, verifier, env, placed } = round;
  const { user } = verifier;
  const staged = placed ? null : await stageTests(context, sandbox, verifier, suffix);
  const nonce = decoder.decode(
    await context.once(`tests-nonce${suffix}.txt`, async () => encoder.encode(randomUUID())),
  );
  const run = (name: string, script: string, as: string | null) =>
    runSomewhere(context, sandbox, `${name}${suffix}`, {
      script,
      cwd: null,
      env,
      user: as,
      timeoutMs: Math.ceil(verifier.timeoutMs * context.timeoutMultiplier),
      // Delivered half from the head: all of it is there when it fits in one half.
      outputLimitBytes: 2 * (TEST_OUTPUT_BYTES + REWARD_LIMIT_BYTES + LINES_BYTES),
      stdin: null,
    });
  if (user === null || user === 'root' || user === '0') {
    const result = await run('tests', wholeScript(staged, nonce), user);
    if (result.exitCode !== EXIT.notRoot) return { result, suspicions: [], nonce };
  }
  const prepared = await run('tests-prepare', prepareScript({ staged, writer: user ?? '' }), 'root');
  const suspicions = readSuspicions(prepared.output.head);
  const isPrepared = prepared.exitCode === EXIT.done;
  const result = isPrepared ? await run('tests-as-user', testScript(nonce), user) : prepared;
  return { result, suspicions, nonce };
}

/** In the working directory; from the root where an agent has removed that: it must not escape its score so. */
async function runSomewhere(
  context: RewardContext,
  sandbox: Sandbox,
  name: string,
  request: ExecRequest,
): Promise<ExecResult> {
  const result = await context.run(sandbox, name, request);
  const notStarted = result.exitCode === 126 || result.exitCode === 127;
  return notStarted ? context.run(sandbox, `${name}-from-root`, { ...request, cwd: '/' }) : result;
}
