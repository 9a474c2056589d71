import { pino } from 'pino';
import type { AtCheckpoint } from '../../../src/rollout/checkpoints.js';
import { openStore } from '../../../src/store/index.js';
import { connectClient, resolveCluster } from '../../../src/temporal/connect.js';
import { startHostWorker } from '../../../src/worker/index.js';
import type { ChaosWorkerSettings } from './chaos-worker.js';

/** A host worker in a process of its own. Argument: its settings, as JSON. Prints `ready` once it works. */
const settings = JSON.parse(process.argv[2] ?? '') as ChaosWorkerSettings;
const { stateDir, address, hostId, role, dieAt, capacity } = settings;

/** The process ends in the middle of the step, as by a power switch: nothing of it runs on. */
function deathAt(point: string): AtCheckpoint {
  const at = point.lastIndexOf(':');
  const wanted = point.slice(0, at);
  let left = Number(point.slice(at + 1));
  return async (checkpoint) => {
    if (checkpoint !== wanted) return;
    left -= 1;
    if (left > 0) return;
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => undefined);
  };
}

const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')));
const cluster = await resolveCluster({ stateDir, env, ...(address === undefined ? {} : { address }) });
const { client } = await connectClient(cluster);
const store = await openStore(stateDir);
const logger = pino({ level: process.env.LONGRUN_LOG_LEVEL ?? 'silent' }, pino.destination(2));
await startHostWorker({
  stateDir,
  store,
  cluster,
  client,
  logger,
  concurrency: capacity,
  ...(hostId === undefined ? {} : { hostId }),
  ...(role === undefined ? {} : { role }),
  ...(dieAt === undefined ? {} : { atCheckpoint: deathAt(dieAt) }),
});
console.log('ready');
