import { pino } from 'pino';
import { serveWorker } from '../../../src/hosts/host-process.js';
import { catchInterrupts } from '../../../src/launch/interrupts.js';
import type { ChaosWorkerSettings } from './chaos-worker.js';

/** A worker as `longrun worker` serves it, signals included. Argument: its settings, as JSON. Prints `ready`. */
const settings = JSON.parse(process.argv[2] ?? '') as ChaosWorkerSettings;
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')));
const interrupts = catchInterrupts(() => process.exit(130));
await serveWorker({
  stateDir: settings.stateDir,
  env,
  hostId: settings.hostId ?? null,
  role: 'all',
  capacity: settings.capacity,
  drainTimeoutMs: settings.drainTimeoutMs ?? 0,
  healthPort: null,
  metricsPort: null,
  supervised: false,
  logger: pino({ level: process.env.LONGRUN_LOG_LEVEL ?? 'silent' }, pino.destination(2)),
  say: () => undefined,
  signal: interrupts.signal,
  onReady: () => console.log('ready'),
});
interrupts.release();
process.exit(0);
