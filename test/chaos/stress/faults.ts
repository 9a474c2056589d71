import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../../../src/core/time.js';
import { containersOf, docker } from '../../support/docker-host.js';
import type { EndpointTrouble } from './flaky-endpoint.js';
import type { Random } from './random.js';
import type { Stage, StageHost } from './stage.js';

/** A fault that has been chosen: what it is, and how it goes on until it is over. */
export interface Strike {
  name: string;
  /** Executors may have to be replaced by it: each rollout may lose one call. */
  takeover: boolean;
  /** Ends when the fault is over. */
  play(): Promise<void>;
}

/** Chooses the details of a fault; null when its object is already suffering from another. */
type Fault = (stage: Stage, random: Random) => Strike | null;

const TROUBLES: readonly EndpointTrouble[] = ['outage', 'rate limit', 'errors', 'stalls', 'cut streams'];

const killWorker: Fault = (stage, random) => {
  const awayMs = random.between(0, 20 * SECOND_MS);
  return onHost(stage, random, `SIGKILL of worker`, awayMs, async (host) => {
    await stage.chaos.killWorker(host.worker);
    await sleep(awayMs);
    await stage.startWorker(host);
  });
};

const freezeWorker: Fault = (stage, random) => {
  const awayMs = random.between(3 * SECOND_MS, 40 * SECOND_MS);
  return onHost(stage, random, 'SIGSTOP of worker', awayMs, async ({ worker }) => {
    worker.process.kill('SIGSTOP');
    await sleep(awayMs);
    worker.process.kill('SIGCONT');
  });
};

const cutLine: Fault = (stage, random) => {
  const awayMs = random.between(3 * SECOND_MS, 40 * SECOND_MS);
  const how = random.pick(['cut', 'stall'] as const);
  return onHost(stage, random, `line to Temporal (${how}) of worker`, awayMs, async ({ proxy }) => {
    proxy[how]();
    await sleep(awayMs);
    proxy.restore();
  });
};

const killServer: Fault = (stage) =>
  onServer(stage, 'SIGKILL of the Temporal server', async () => {
    process.kill(stage.chaos.serverPid, 'SIGKILL');
    // Whoever is attached starts it again; it is left alone until then.
    await sleep(5 * SECOND_MS);
  });

const freezeServer: Fault = (stage, random) => {
  const awayMs = random.between(3 * SECOND_MS, 30 * SECOND_MS);
  return onServer(stage, `SIGSTOP of the Temporal server, ${seconds(awayMs)}`, async () => {
    const pid = stage.chaos.serverPid;
    process.kill(pid, 'SIGSTOP');
    await sleep(awayMs);
    process.kill(pid, 'SIGCONT');
  });
};

const killContainer: Fault = (stage, random) => {
  const draw = random.next();
  return {
    name: 'docker kill of a container',
    takeover: true,
    play: async () => {
      const living = await containersOf(stage.chaos.store);
      const one = living[Math.floor(draw * living.length)];
      // It may have ended by itself meanwhile.
      if (one !== undefined) await docker('kill', one).catch(() => undefined);
    },
  };
};

const troubleEndpoint: Fault = (stage, random) =>
  endpointTrouble(stage, random.pick(TROUBLES), random.between(3 * SECOND_MS, 30 * SECOND_MS));

export function endpointTrouble(stage: Stage, trouble: EndpointTrouble, forMs: number): Strike {
  return {
    name: `model endpoint: ${trouble}, ${seconds(forMs)}`,
    takeover: false,
    play: async () => {
      stage.endpoint.begin(trouble);
      await sleep(forMs);
      stage.endpoint.end(trouble);
    },
  };
}

export const FAULTS: readonly Fault[] = [
  killWorker,
  killWorker,
  freezeWorker,
  cutLine,
  killServer,
  freezeServer,
  killContainer,
  troubleEndpoint,
  troubleEndpoint,
];

function onHost(
  stage: Stage,
  random: Random,
  what: string,
  awayMs: number,
  play: (host: StageHost) => Promise<void>,
): Strike | null {
  const host = random.pick(stage.hosts);
  if (host.busy) return null;
  host.busy = true;
  const ended = play;
  return {
    name: `${what} ${host.hostId}, ${seconds(awayMs)}`,
    takeover: true,
    play: () =>
      ended(host).finally(() => {
        host.busy = false;
      }),
  };
}

function onServer(stage: Stage, name: string, play: () => Promise<void>): Strike | null {
  if (stage.serverBusy) return null;
  stage.serverBusy = true;
  return {
    name,
    takeover: true,
    play: () =>
      play().finally(() => {
        stage.serverBusy = false;
      }),
  };
}

const seconds = (ms: number): string => `${(ms / SECOND_MS).toFixed(1)} s`;
