export type { HostWorker } from './host-worker.js';
export type { HostWorkerOptions } from './host-worker-options.js';
export { startHostWorker } from './start-host-worker.js';
