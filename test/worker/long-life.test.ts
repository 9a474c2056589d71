import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunConfig } from '../../src/core/run/run-config.schema.js';
import { keys } from '../../src/store/keys.js';
import { mapBounded } from '../../src/store/map-bounded.js';
import type { LoadedTask } from '../../src/tasks/environment.js';
import type { HostWorker } from '../../src/worker/index.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { MODEL_RUN } from '../support/model-run.js';
import { ModelServer, runs, says } from '../support/model-server.js';
import { RUN_CONFIG } from '../support/run-config-defaults.js';
import { serveConfig } from '../support/serve-config.js';
import { until } from '../support/until.js';

const RUNS = 300;
const AT_ONCE = 24;
const IDLE_MS = 2_000;
const LIMITS = { budgetTokens: 1_000_000, groupBudgetTokens: 500_000 };

let host: LongrunHost;
let folder: string;
let server: ModelServer;
/** Holds the sandboxes and closes no run: that is done by the other. */
let works: HostWorker;
let closes: HostWorker;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longrun-long-life-'));
  await writeFile(join(folder, 'in-the-way'), '');
  server = await ModelServer.start(({ turn }) =>
    turn === 0 ? runs('echo 42 > /app/answer') : says('Done.'),
  );
  host = await LongrunHost.start();
  closes = await host.startWorker({ hostId: 'closes', role: 'orchestrator', idleMs: IDLE_MS });
  works = await host.startWorker({ hostId: 'works', role: 'host', idleMs: IDLE_MS, capacity: 100 });
});
afterAll(async () => {
  await host.stop();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

type Config = Partial<RunConfig>;
const PLAIN = { agent: 'tool-calling', model: 'scripted/turns-1' } as const;
const LIMITED = { ...PLAIN, ...LIMITS };
const CANCELLED = { ...LIMITED, model: 'scripted/turns-100-delay-200ms' };
const GROUP = { ...LIMITED, groupSize: 2, groups: 1 };
/** Not enough for a single call. */
const PAUSED = { ...PLAIN, budgetTokens: 10 };
const UNRECORDED = () => ({
  trajectory: { ...RUN_CONFIG.trajectory, outputDir: join(folder, 'in-the-way') },
});

/** Nobody is asked anything. */
const SHORTEST: Config = { agent: 'nop' };

/** What a run of each thirty is like; the others are as short as can be. */
const KINDS: Record<number, (runId: string) => Config> = {
  0: () => LIMITED,
  1: () => CANCELLED,
  3: () => GROUP,
  5: (runId) => ({
    ...GROUP,
    serve: serveConfig({ jsonl: join(folder, runId), hostId: 'works', keepZeroVariance: true }),
  }),
  6: () => CANCELLED,
  // Each has an address of its own, and so a client and a share of an endpoint.
  8: (runId) => ({ ...MODEL_RUN, baseUrl: `${server.baseUrl.replace(/\/v1$/, '')}/${runId}/v1` }),
  9: () => ({ ...MODEL_RUN, ...LIMITS, baseUrl: server.baseUrl }),
  13: () => ({ ...LIMITED, samples: 2 }),
  15: () => ({ ...PLAIN, ...UNRECORDED() }),
  17: () => PAUSED,
};

async function runOne(n: number, task: LoadedTask): Promise<string> {
  const runId = `run-${n}`;
  const config = KINDS[n % 30]?.(runId) ?? SHORTEST;
  await host.plan(runId, [task], config);
  await host.runs.start(runId);
  if (config === CANCELLED) await until(() => hasBegun(runId));
  if (config === PAUSED) await until(async () => (await host.runs.progress(runId))?.status === 'paused');
  if (config === CANCELLED || config === PAUSED) await host.runs.cancel(runId);
  return host.runs.wait(runId, AbortSignal.timeout(120_000));
}

const hasBegun = async (runId: string): Promise<boolean> => {
  const turns = keys.turns({ runId, taskId: 'task', sample: 0, attempt: 1 }, 0);
  return (await host.store.children(turns)).length > 0;
};

const KEPT = [
  'budgetShares',
  'budgetLimits',
  'modelClients',
  'endpointLeases',
  'policyLogs',
  'recordingTroubles',
  'workflowIds',
];
const anything = (held: Record<string, number>) => Object.values(held).some((count) => count > 0);

it('a worker keeps nothing for runs that have ended, wherever they were closed', async () => {
  const task = await inlineTask({ taskId: 'task', test: answerTest('42') });
  const most = new Map<string, number>();
  const numbers = Array.from({ length: RUNS }, (_, n) => n);
  const statuses = new Map<string, number>();
  for await (const { result } of mapBounded(numbers, (n) => runOne(n, task), AT_ONCE)) {
    statuses.set(result, (statuses.get(result) ?? 0) + 1);
    for (const worker of [works, closes])
      for (const [name, count] of Object.entries(worker.held()))
        most.set(name, Math.max(most.get(name) ?? 0, count));
  }
  expect(Object.fromEntries(statuses)).toEqual({ finished: 0.9 * RUNS, cancelled: 0.1 * RUNS });
  // It did keep something of each kind, though never for all of them at a time.
  for (const name of KEPT) expect(most.get(name), name).toBeGreaterThan(0);
  for (const [name, count] of most) expect(count, name).toBeLessThan(RUNS);

  await until(() => ![works, closes].some((worker) => anything(worker.held())), {
    limitMs: 10 * IDLE_MS,
    what: 'nothing is kept any more',
  }).catch(() => undefined);
  // Said by name, where it is not so.
  for (const worker of [works, closes])
    expect(Object.entries(worker.held()).filter(([, count]) => count > 0)).toEqual([]);
}, 600_000);
