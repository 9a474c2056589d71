import { LongrunError } from '../core/errors.js';
import { type Lifecycle, pause } from '../core/rollout/lifecycle.js';
import type { Failure } from '../core/rollout/outcome.js';
import type { Healthcheck } from '../core/rollout/task.schema.js';
import { runExec } from '../sandbox/run-exec.js';
import type { Sandbox } from '../sandbox/sandbox.js';

const OUTPUT_BYTES = 4_000;

/**
 * Waits until a task's health check passes: failures within the start period do not count, then
 * `retries` in a row end it with `sandbox_failed`.
 */
export async function waitHealthy(sandbox: Sandbox, check: Healthcheck, lifecycle: Lifecycle): Promise<void> {
  const begun = Date.now();
  for (let failures = 0; ; ) {
    const result = await runExec(
      sandbox,
      {
        script: check.command,
        cwd: null,
        env: {},
        user: null,
        timeoutMs: check.timeoutMs,
        outputLimitBytes: OUTPUT_BYTES,
        stdin: null,
      },
      lifecycle.stopping,
    );
    if (result.exitCode === 0) return;
    const starting = Date.now() - begun < check.startPeriodMs;
    if (!starting) failures += 1;
    if (failures >= check.retries) {
      const output = Buffer.from(result.output.head).toString('utf8').trim().slice(-300);
      throw new LongrunError('sandbox_failed', `the health check failed ${failures} times: ${output}`, {
        retryable: true,
        hint: `it runs: ${check.command}`,
      });
    }
    await pause(starting ? check.startIntervalMs : check.intervalMs, lifecycle);
  }
}

/** Waits until the check passes; what to say of the sandbox when it never does. */
export async function sickness(
  sandbox: Sandbox,
  check: Healthcheck,
  lifecycle: Lifecycle,
): Promise<Failure | null> {
  try {
    await waitHealthy(sandbox, check, lifecycle);
    return null;
  } catch (error) {
    if (!LongrunError.is(error, 'sandbox_failed')) throw error;
    return { code: error.code, message: error.message, retryable: error.retryable, hint: error.hint ?? null };
  }
}
