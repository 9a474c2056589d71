import { NativeConnection } from '@temporalio/worker';
import type { Cluster } from './connect.js';

/**
 * A connection for workers. In a file of its own: the worker package costs a client-only command a quarter of a
 * second and starts a Rust runtime.
 */
export async function connectNative(
  cluster: Pick<Cluster, 'kind' | 'connection'>,
): Promise<NativeConnection> {
  // On loopback compression only costs processor time, which the server has too little of.
  const compression = cluster.kind === 'embedded' ? { grpcCompression: { codec: 'none' as const } } : {};
  return await NativeConnection.connect({ ...cluster.connection, ...compression });
}
