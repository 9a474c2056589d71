export { type HostWorker, type HostWorkerOptions, startHostWorker } from './start-host-worker.js';
