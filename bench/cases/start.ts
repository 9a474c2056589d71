import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resolveCluster } from '../../src/temporal/connect.js';
import { benchEnv } from '../bench-host.js';
import type { BenchCase } from '../measure.js';
import { atMost, type Measure, median } from '../measure.js';

const CLI = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
const HELP_RUNS = 15;
const START_RUNS = 5;

/** How long until the command line, the embedded server and a worker are there. */
export const start: BenchCase = async () => {
  const help = await repeat(HELP_RUNS, () => timeOf(['--help'], 'exit'));
  const plain = await repeat(HELP_RUNS, () => timeOf(null, 'exit'));
  const folder = await mkdtemp(join(tmpdir(), 'longrun-bench-'));
  try {
    const servers = await repeat(START_RUNS, (i) => serverStart(join(folder, String(i))));
    const workers = await workerStarts(join(folder, 'worker'));
    return [
      measure(
        'longrun --help',
        help,
        150,
        `${HELP_RUNS} starts; node -e 0 takes ${median(plain).toFixed(0)} ms`,
      ),
      measure(
        'embedded server ready',
        servers,
        2000,
        `${START_RUNS} starts on a new database, until it serves`,
      ),
      measure(
        'worker ready',
        workers,
        2000,
        `${START_RUNS} × longrun worker, server up, process start included`,
      ),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
};

function measure(name: string, times: number[], target: number, how: string): Measure {
  return { name, value: median(times), unit: 'ms', target: atMost(target), note: `median of ${how}` };
}

async function repeat(times: number, work: (i: number) => Promise<number>): Promise<number[]> {
  const taken: number[] = [];
  for (let i = 0; i < times; i++) taken.push(await work(i));
  return taken;
}

async function serverStart(stateDir: string): Promise<number> {
  const begun = performance.now();
  const cluster = await resolveCluster({ stateDir, env: benchEnv() });
  const ms = performance.now() - begun;
  await cluster.detach();
  return ms;
}

async function workerStarts(stateDir: string): Promise<number[]> {
  const cluster = await resolveCluster({ stateDir, env: benchEnv() });
  try {
    return await repeat(START_RUNS, () =>
      timeOf(['worker', '--json', '--state-dir', stateDir], 'first output'),
    );
  } finally {
    await cluster.detach();
  }
}

/** Runs the command line (null: node alone) until its end or its first output; ends it then. */
async function timeOf(args: string[] | null, until: 'exit' | 'first output'): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, args === null ? ['-e', '0'] : [CLI, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: benchEnv(),
  });
  const exited = once(child, 'exit');
  if (until === 'exit') child.stdout.resume();
  await (until === 'exit' ? exited : once(child.stdout, 'data'));
  const ms = performance.now() - begun;
  child.stdout.resume();
  child.kill('SIGINT');
  await exited;
  return ms;
}
