import { randomUUID } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { inject } from 'vitest';
import { DAY_MS } from '../../src/core/time.js';
import { type Cluster, type ClusterClient, connectClient } from '../../src/temporal/connect.js';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.js';

/** Address of the real server that the tests of this run share. */
export function temporalAddress(): string {
  const address = inject('temporalAddress');
  if (!address) throw new Error('This tier has no Temporal server: name it in test/support/tiers.ts');
  return address;
}

/**
 * A namespace of its own on the shared server, so that files that run side by side do not take each other's tasks
 * (queue names are fixed). Usable at once, search attributes included; forgotten with the server.
 */
export async function freshCluster(): Promise<Cluster> {
  const address = temporalAddress();
  const namespace = `test-${randomUUID()}`;
  const connection = await Connection.connect({ address });
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs(DAY_MS),
    });
    await registerSearchAttributes(connection, namespace);
    const { serverVersion } = await connection.workflowService.getSystemInfo({});
    const detach = async () => undefined;
    return {
      kind: 'external',
      address,
      namespace,
      serverVersion: serverVersion ?? '',
      connection: { address },
      detach,
    };
  } finally {
    await connection.close();
  }
}

/** A client in a fresh namespace, for the tests of one file: call it in `beforeAll`, `close` it in `afterAll`. */
export async function freshClient(): Promise<ClusterClient & { cluster: Cluster }> {
  const cluster = await freshCluster();
  return { ...(await connectClient(cluster)), cluster };
}
