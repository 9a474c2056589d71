import { Connection, type ConnectionOptions } from '@temporalio/client';

export interface ServerAnswer {
  serverVersion: string;
}

/** Asks whether the server serves this namespace now; throws the transport's error when it does not. */
export async function probeServer(
  options: ConnectionOptions,
  namespace: string,
  timeoutMs: number,
): Promise<ServerAnswer> {
  // A new connection each time: a channel that failed once waits a second before it tries again.
  const connection = Connection.lazy({ ...options, connectTimeout: timeoutMs });
  try {
    return await connection.withDeadline(Date.now() + timeoutMs, async () => {
      await connection.ensureConnected();
      await connection.workflowService.describeNamespace({ namespace });
      const { serverVersion } = await connection.workflowService.getSystemInfo({});
      return { serverVersion: serverVersion ?? 'unknown' };
    });
  } finally {
    await connection.close();
  }
}
