import { SECOND_MS } from '../../core/time.js';
import { runExec } from '../../sandbox/run-exec.js';
import type { AttemptContext } from '../attempt-context.js';
import { END_ALL_BUT_SERVICES, ENDED } from '../service-script.js';

/**
 * After an agent's time has run out nothing that it started goes on, so that no late answer is scored. Services
 * stay, because a task may have asked for them: processes that others can connect to. May be repeated until the
 * agent's end is recorded: no test runs before that.
 */
export async function endLateProcesses(context: AttemptContext): Promise<void> {
  const { deps, placement, sandbox } = context;
  if (deps.drivers.get(placement.sandbox.driver)?.profile.processes !== true) return;
  await context.guard();
  if (await endedByScript(context)) return;
  // No process can be started in it (a fork bomb), or its shell lies: services go, too.
  await context.guard();
  await sandbox.restart();
}

async function endedByScript({ sandbox, lifecycle }: AttemptContext): Promise<boolean> {
  const request = {
    script: END_ALL_BUT_SERVICES,
    cwd: '/',
    env: {},
    user: 'root',
    timeoutMs: 20 * SECOND_MS,
    outputLimitBytes: 1_000,
    stdin: null,
  };
  const { exitCode, output } = await runExec(sandbox, request, lifecycle.stopping);
  return exitCode === 0 && Buffer.from(output.head).toString('utf8').trim() === ENDED;
}
