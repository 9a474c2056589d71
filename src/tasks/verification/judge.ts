import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Verdict } from '../../store/records/records.schema.js';
import type { RewardContext } from '../reward-context.js';
import { readTail, readTestReport } from './read-verifier-files.js';
import type { TestRun } from './run-tests.js';
import { EXIT, TEST_OUTPUT, TEST_OUTPUT_BYTES } from './verifier-script.js';

/** The part of a verdict that the tests decide. */
export interface Outcome
  extends Pick<Verdict, 'reward' | 'rewards' | 'failure' | 'stopReason' | 'testOutput'> {
  /** What looked like tampering while they were run. */
  suspicions: string[];
}

/** Of the output of killed tests, to find its end. */
const KILLED_OUTPUT_LIMIT_BYTES = 4 * 1024 * 1024;

/**
 * What the ended command amounts to. Only tests that ended by themselves are asked for their reward.
 * A new attempt pays the agent again and cannot mend the tests: it may help only where the sandbox failed under them.
 */
export async function judge(
  context: RewardContext,
  sandbox: Sandbox,
  { result, nonce }: TestRun,
): Promise<Outcome> {
  context.signal.throwIfAborted();
  if (result.timedOut) {
    const testOutput = await readTail(sandbox, TEST_OUTPUT, TEST_OUTPUT_BYTES, KILLED_OUTPUT_LIMIT_BYTES);
    const seconds = Math.round(result.durationMs / 1000);
    return failed('verifier_timeout', `the tests were killed after ${seconds} s`, false, testOutput);
  }
  const testOutput = Buffer.from(result.output.head).toString('utf8');
  if (result.outcomeUnknown) {
    return failed('verifier_error', 'the sandbox no longer knows how the tests ended', true, testOutput);
  }
  if (result.exitCode !== EXIT.done) {
    const killed = result.exitCode === null;
    const how = killed ? 'were killed' : `could not be run (exit code ${result.exitCode})`;
    return failed('verifier_error', `the tests ${how}`, killed, testOutput);
  }
  const report = readTestReport(result.output.head, nonce);
  const { reading } = report;
  if (!reading.ok) {
    const outcome = failed('verifier_error', reading.message, false, report.testOutput, reading.hint);
    return { ...outcome, suspicions: report.suspicions };
  }
  const { reward, rewards } = reading;
  const { testOutput: said, suspicions } = report;
  return { reward, rewards, failure: null, stopReason: null, testOutput: said, suspicions };
}

/** A verdict without a reward. */
export function failed(
  stopReason: 'verifier_error' | 'verifier_timeout',
  message: string,
  retryable: boolean,
  testOutput: string,
  hint: string | null = null,
): Outcome {
  const code = stopReason === 'verifier_error' ? 'verifier_failed' : 'verifier_timeout';
  const failure = { code, message, retryable, hint };
  return { reward: null, rewards: {}, failure, stopReason, testOutput, suspicions: [] };
}

/** What the host's environment gave to the verifier must not reach a record through its output. */
export function withoutSecrets(outcome: Outcome, clean: (text: string) => string): Outcome {
  const { failure, testOutput, rewards } = outcome;
  return {
    ...outcome,
    // The tests choose their names.
    rewards: Object.fromEntries(Object.entries(rewards).map(([name, reward]) => [clean(name), reward])),
    testOutput: clean(testOutput),
    suspicions: outcome.suspicions.map(clean),
    failure: failure === null ? null : { ...failure, message: clean(failure.message) },
  };
}
