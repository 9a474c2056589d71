import { boundResult } from '../../agent/bound-result.js';
import { outputText } from '../../agent/tools/output-text.js';
import { shell } from '../../core/text/shell.js';
import { HOUR_MS } from '../../core/time.js';
import type { ExecResult } from '../../sandbox/sandbox.js';
import { loadBlob } from '../../store/blobs.js';
import { keys } from '../../store/keys.js';
import { putRecordIfAbsent } from '../../store/records/records.js';
import { type OracleRun, oracleRunSchema } from '../../store/records/records.schema.js';
import { resolveEnv } from '../../tasks/resolve-env.js';
import type { AttemptContext } from '../attempt-context.js';
import { persist } from '../persist.js';
import { withoutSecrets } from '../without-secrets.js';
import { ExecJournal } from './exec-journal.js';
import type { LoopEnd } from './turn-loop.js';

const TIMEOUT_MS = HOUR_MS;
/** Of the output, what is read; cut down to what is recorded after secrets were taken out of it. */
const READ_BYTES = 1_000_000;
const RECORDED_BYTES = 64_000;

/** Puts the reference solution in, runs it as Harbor's oracle does, and records how it went. */
export async function runOracle(context: AttemptContext): Promise<LoopEnd> {
  if (context.stepSpec.solution === null) {
    const failure = {
      code: 'task_invalid',
      message: 'the task has no solution/solve.sh',
      retryable: false,
      hint: null,
    };
    return { stopReason: 'provision_error', failure };
  }
  const result = await solve(context, context.stepSpec.solution);
  await record(context, result);
  return { stopReason: result.timedOut ? 'wall_timeout' : 'natural', failure: null };
}

async function solve(
  { deps, key, run, step, stepSpec, lifecycle, sandbox, guard }: AttemptContext,
  solution: NonNullable<AttemptContext['stepSpec']['solution']>,
): Promise<ExecResult> {
  const io = { store: deps.store, lifecycle, now: deps.now, guard };
  const journal = new ExecJournal(io, sandbox, keys.stepExec(key, step, 'oracle'));
  const started = await journal.started();
  if (started !== null) return journal.attach(started);
  await guard();
  await sandbox.putArchive('/solution', await loadBlob(deps.store, solution));
  return journal.run(
    {
      script: shell`chmod +x /solution/solve.sh; exec /solution/solve.sh`,
      cwd: null,
      env: resolveEnv(stepSpec.solutionEnv, deps.hostEnvOf(run)),
      user: stepSpec.agentUser,
      timeoutMs: (stepSpec.agentTimeoutMs ?? TIMEOUT_MS) * run.config.timeoutMultiplier,
      outputLimitBytes: READ_BYTES,
      stdin: null,
    },
    null,
  );
}

async function record(context: AttemptContext, result: ExecResult): Promise<void> {
  const { deps, key, step, stepSpec, lifecycle } = context;
  const output = withoutSecrets(context, outputText(result.output));
  const mine: OracleRun = {
    schemaVersion: 1,
    step: stepSpec.name,
    exitCode: result.exitCode,
    output: boundResult(output, RECORDED_BYTES).shown,
    durationMs: Math.round(result.durationMs),
  };
  await persist(
    () => putRecordIfAbsent(deps.store, oracleRunSchema, keys.oracle(key, step), mine, 'process'),
    lifecycle.cancelled,
  );
}
