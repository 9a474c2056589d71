import { parentPort, workerData } from 'node:worker_threads';
import { type SiftRequest, siftArtifacts } from './sift-artifacts.js';

/** The thread of `siftInThread`: takes one request, answers it and ends. */
parentPort?.postMessage(await siftArtifacts(workerData as SiftRequest));
