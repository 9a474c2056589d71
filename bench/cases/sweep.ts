import { evaluateWorkflowId, partitionWorkflowId } from '../../src/core/ids.js';
import { partitionsOf } from '../../src/core/run/partitioning.js';
import { RunTracker } from '../../src/runs/status/run-tracker.js';
import { watchRun } from '../../src/runs/status/watch-run.js';
import { readPlan, readRun } from '../../src/store/runs.js';
import { BenchHost } from '../bench-host.js';
import type { BenchCase } from '../measure.js';
import { atMost, type Measure } from '../measure.js';
import { cpuMsOf, residentBytesOf } from '../process-stats.js';

const SMALL = 500;
const LARGE = 5_000;
const SAMPLES = 50;
const TURNS = 3;
const CONCURRENCY = 64;
const WARM_UP_TASKS = 2;
const MOST_EVENTS = 10_000;
const MOST_RATIO = 1.3;
const MIB = 1024 * 1024;
const SAY_EVERY = 500;

interface Sweep {
  rollouts: number;
  /** Wall time per rollout, and CPU time of worker and server, which does not depend on who else is busy. */
  msEach: number;
  workerCpuMsEach: number;
  serverCpuMsEach: number;
  runEvents: number;
  partitionEvents: number;
  workerBytes: number;
  serverBytes: number;
}

/** One run of 5,000 rollouts against runs of 500 before and after it, all watched as by `longrun evaluate`. */
export const sweep: BenchCase = async (say) => {
  const host = await BenchHost.open();
  try {
    await host.startWorker(CONCURRENCY);
    await swept(host, WARM_UP_TASKS * SAMPLES, () => undefined);
    const before = await swept(host, SMALL, say);
    const large = await swept(host, LARGE, say);
    const after = await swept(host, SMALL, say);
    return measuresOf([before, after], large);
  } finally {
    await host.close();
  }
};

async function swept(host: BenchHost, rollouts: number, say: (line: string) => void): Promise<Sweep> {
  const { session, serverPid } = host;
  const wanted = { model: `scripted/turns-${TURNS}`, sandbox: 'memory', concurrency: CONCURRENCY } as const;
  const runId = await host.plan({ ...wanted, samples: SAMPLES }, rollouts / SAMPLES);
  const [workerCpu, serverCpu] = [cpuMsOf(process.pid), cpuMsOf(serverPid)];
  const watching = watch(host, runId, say);
  const ms = await host.finish(runId);
  await watching;
  const swept: Sweep = {
    rollouts,
    msEach: ms / rollouts,
    workerCpuMsEach: (cpuMsOf(process.pid) - workerCpu) / rollouts,
    serverCpuMsEach: (cpuMsOf(serverPid) - serverCpu) / rollouts,
    workerBytes: residentBytesOf(process.pid),
    serverBytes: residentBytesOf(serverPid),
    ...(await eventsOf(host, runId)),
  };
  const { store } = session;
  say(`${rollouts} rollouts in ${(ms / 1000).toFixed(0)} s, ${store.locate(`runs/${runId}`)}`);
  return swept;
}

/** As `longrun evaluate` does beside the work. */
async function watch({ session }: BenchHost, runId: string, say: (line: string) => void): Promise<void> {
  const { store, runs, wait } = session;
  const run = await readRun(store, runId);
  let told = 0;
  while ((await runs.progress(runId)) === null) await new Promise((resolve) => setTimeout(resolve, 100));
  await watchRun({
    runs,
    wait,
    run,
    stopped: () => false,
    tracker: new RunTracker(store, run, await readPlan(store, runId), Date.now),
    signal: new AbortController().signal,
    onUpdate: ({ done, total }) => {
      if (done < told + SAY_EVERY) return;
      told = done;
      say(`${done} of ${total} rollouts`);
    },
    say,
    now: Date.now,
  });
}

async function eventsOf(
  { session }: BenchHost,
  runId: string,
): Promise<Pick<Sweep, 'runEvents' | 'partitionEvents'>> {
  const { tasks } = await readPlan(session.store, runId);
  const eventsIn = async (id: string) =>
    (await session.client.workflow.getHandle(id).describe()).historyLength;
  const partitions = await Promise.all(
    partitionsOf(tasks).map((_, index) => eventsIn(partitionWorkflowId(runId, index))),
  );
  return {
    runEvents: await eventsIn(evaluateWorkflowId(runId)),
    partitionEvents: Math.max(...partitions),
  };
}

function measuresOf(small: readonly Sweep[], large: Sweep): Measure[] {
  const mean = (of: (sweep: Sweep) => number) => small.reduce((sum, s) => sum + of(s), 0) / small.length;
  const cpu = ({ workerCpuMsEach, serverCpuMsEach }: Sweep) => workerCpuMsEach + serverCpuMsEach;
  const size = `memory sandbox, ${TURNS} turns, concurrency ${CONCURRENCY}`;
  const split = (s: Sweep) =>
    `worker ${s.workerCpuMsEach.toFixed(1)}, server ${s.serverCpuMsEach.toFixed(1)}`;
  const apart = small.map(({ msEach }) => msEach.toFixed(1)).join(' and ');
  return [
    plain(
      `sweep: time per rollout, ${SMALL}`,
      mean((s) => s.msEach),
      'ms',
      `${size}; ${apart}`,
    ),
    plain(`sweep: time per rollout, ${LARGE}`, large.msEach, 'ms', size),
    {
      name: 'sweep: ratio',
      value: large.msEach / mean((s) => s.msEach),
      unit: '',
      target: atMost(MOST_RATIO),
      note: `${LARGE} against ${SMALL} rollouts, one before and one after`,
    },
    plain(`sweep: CPU per rollout, ${SMALL}`, mean(cpu), 'ms', small.map(split).join('; ')),
    plain(`sweep: CPU per rollout, ${LARGE}`, cpu(large), 'ms', split(large)),
    {
      name: 'sweep: events of the run',
      value: large.runEvents,
      unit: '',
      target: atMost(MOST_EVENTS),
      note: `${LARGE} rollouts`,
    },
    {
      name: 'sweep: events of a partition',
      value: large.partitionEvents,
      unit: '',
      target: atMost(MOST_EVENTS),
      note: 'the longest',
    },
    plain('sweep: worker memory', large.workerBytes / MIB, 'MB', `after ${LARGE} rollouts`),
    plain('sweep: server memory', large.serverBytes / MIB, 'MB', `after ${LARGE} rollouts`),
  ];
}

const plain = (name: string, value: number, unit: string, note: string): Measure => ({
  name,
  value,
  unit,
  target: null,
  note,
});
