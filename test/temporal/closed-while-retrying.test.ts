import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { connectClient } from '../../src/temporal/connect.js';
import { TcpProxy } from '../chaos/support/tcp-proxy.js';
import { freshCluster } from '../support/temporal.js';

/** As long as the SDK waits between two tries, at most. */
const LONGEST_WAIT_MS = 6_000;

it('a client that is closed while a call waits to be tried again takes no process along', async () => {
  const cluster = await freshCluster();
  const proxy = await TcpProxy.start(cluster.address);
  onTestFinished(() => proxy.close());
  const address = proxy.address;
  const { client, close } = await connectClient({ ...cluster, address, connection: { address } });
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', note);
  onTestFinished(() => void process.off('uncaughtException', note));

  proxy.cut();
  const call = client.workflow.getHandle('none').describe();
  call.catch(() => undefined);
  // Some tries later.
  await sleep(1_500);
  await close();
  await expect(call).rejects.toThrow();
  await sleep(LONGEST_WAIT_MS);
  expect(uncaught).toEqual([]);
});
