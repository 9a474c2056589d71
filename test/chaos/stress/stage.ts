import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../../../src/core/time.js';
import type { Child } from '../../support/child.js';
import { ChaosRun } from '../support/chaos-run.js';
import { TASK_IDS } from '../support/chaos-tasks.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { FlakyEndpoint } from './flaky-endpoint.js';

/** One host of the stress run: its worker process and its own line to Temporal. */
export interface StageHost {
  hostId: string;
  proxy: TcpProxy;
  worker: Child;
  /** What is being done to it now; one thing at a time. */
  busy: boolean;
}

const HOSTS = ['first', 'second'];
const CAPACITY = 4;
const START_TRIES = 60;
const MODEL_TIMEOUT_MS = 10_000;
/** More than a run of random kills can use up. */
const MAX_ATTEMPTS = 20;

/** What the faults strike: a run, two hosts with lines of their own, a server, an endpoint. */
export interface Stage {
  chaos: ChaosRun;
  hosts: StageHost[];
  endpoint: FlakyEndpoint;
  /** The server is being done something to. */
  serverBusy: boolean;
  startWorker(host: StageHost): Promise<void>;
  close(): Promise<void>;
}

/** A run of about this many rollouts on two hosts, begun. */
export async function setStage(runId: string, rollouts: number): Promise<Stage> {
  const endpoint = new FlakyEndpoint();
  const samples = Math.max(6, Math.ceil(rollouts / TASK_IDS.length));
  const chaos = await ChaosRun.make({
    runId,
    samples,
    capacity: CAPACITY,
    config: {
      concurrency: HOSTS.length * CAPACITY,
      modelTimeoutMs: MODEL_TIMEOUT_MS,
      maxAttempts: MAX_ATTEMPTS,
    },
    script: (call, usual) => endpoint.answer(call, usual),
  });
  const proxies: TcpProxy[] = [];
  const close = async () => {
    await chaos.stop();
    for (const proxy of proxies) await proxy.close();
  };
  const start = (hostId: string, proxy: TcpProxy) => chaos.startWorker({ hostId, address: proxy.address });
  try {
    const hosts: StageHost[] = [];
    for (const hostId of HOSTS) {
      const proxy = await TcpProxy.start(chaos.host.cluster.address);
      proxies.push(proxy);
      hosts.push({ hostId, proxy, worker: await start(hostId, proxy), busy: false });
    }
    await chaos.begin();
    const startWorker = async (host: StageHost) => {
      host.worker = await insist(() => start(host.hostId, host.proxy));
    };
    return { chaos, hosts, endpoint, serverBusy: false, startWorker, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** As a service manager does: a worker that finds no server ends with an error, and is started again. */
async function insist(start: () => Promise<Child>): Promise<Child> {
  for (let left = START_TRIES; ; left--) {
    try {
      return await start();
    } catch (error) {
      if (left <= 0) throw error;
      await sleep(SECOND_MS);
    }
  }
}
