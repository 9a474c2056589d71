import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BenchHost } from '../bench-host.js';
import type { BenchCase } from '../measure.js';
import { atMost } from '../measure.js';

const PARKED = 2_000;
/** A run has two partitions of 300 open at a time. */
const PER_RUN = 500;
const WARM_UP = 40;
const LIMIT_MS = 6 * 60 * 1000;
const MIB = 1024 * 1024;

/** What a rollout that waits for its model costs the worker's process; the endpoint is another process. */
export const memory: BenchCase = async (say) => {
  const endpoint = fork(fileURLToPath(new URL('../parking-endpoint.js', import.meta.url)));
  const [baseUrl] = (await once(endpoint, 'message')) as [string];
  const host = await BenchHost.open();
  try {
    await host.startWorker(PARKED);
    const shared = { sandbox: 'memory', concurrency: PARKED } as const;
    await host.finish(await host.plan({ ...shared, model: 'scripted/turns-2', samples: WARM_UP }));
    const before = settledRss();
    for (let run = 0; run < PARKED / PER_RUN; run++) {
      const runId = await host.plan({ ...shared, model: 'parked', baseUrl, samples: PER_RUN });
      await host.session.runs.start(runId);
    }
    await allWaiting(endpoint, say);
    const perRollout = (settledRss() - before) / PARKED / MIB;
    const note = `${PARKED} rollouts waiting for a model, memory sandbox; resident size after a collection, less ${(before / MIB).toFixed(0)} MB without any`;
    return [
      { name: 'worker memory per rollout in flight', value: perRollout, unit: 'MB', target: atMost(1), note },
    ];
  } finally {
    endpoint.disconnect();
    await host.abandon();
  }
};

async function allWaiting(endpoint: ChildProcess, say: (line: string) => void): Promise<void> {
  const begun = performance.now();
  for (let waiting = 0; waiting < PARKED; ) {
    if (performance.now() - begun > LIMIT_MS) throw new Error(`only ${waiting} of ${PARKED} rollouts wait`);
    await sleep(2_000);
    endpoint.send('how many?');
    [waiting] = (await once(endpoint, 'message')) as [number];
    say(`${waiting} of ${PARKED} rollouts wait for their model`);
  }
}

function settledRss(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss;
}
