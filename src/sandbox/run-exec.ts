import type { ExecRequest, ExecResult, Sandbox } from './sandbox.js';

/** Creates, starts and awaits a command in one go, without a journal: for commands that may be repeated. */
export async function runExec(
  sandbox: Sandbox,
  request: ExecRequest,
  signal: AbortSignal,
): Promise<ExecResult> {
  const handle = await sandbox.createExec(request);
  await sandbox.startExec(handle, request);
  try {
    return await sandbox.awaitExec(handle, request, signal);
  } catch (error) {
    if (signal.aborted) await sandbox.killExec(handle);
    throw error;
  }
}
