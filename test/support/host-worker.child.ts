import { pino } from 'pino';
import type { HostRole } from '../../src/core/host/host-role.js';
import { openStore } from '../../src/store/index.js';
import { connectClient, resolveCluster } from '../../src/temporal/connect.js';
import { startHostWorker } from '../../src/worker/index.js';

/**
 * A host worker in a process of its own, to be killed by a test. Arguments: the state folder and, for several hosts
 * on one state folder, host id, role (`all`) and capacity.
 */
const [stateDir = '', hostId, role, capacity] = process.argv.slice(2);
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')));
const cluster = await resolveCluster({ stateDir, env });
const { client } = await connectClient(cluster);
const store = await openStore(stateDir);
const logger = pino({ level: process.env.LONGRUN_LOG_LEVEL ?? 'silent' }, pino.destination(2));
await startHostWorker({
  stateDir,
  store,
  cluster,
  client,
  logger,
  ...(hostId ? { hostId } : {}),
  ...(role ? { role: role as HostRole } : {}),
  ...(capacity ? { capacity: Number(capacity) } : {}),
});
console.log('ready');
