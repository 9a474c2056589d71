import { LongrunError } from '../core/errors.js';
import { type Clock, MINUTE_MS, SECOND_MS } from '../core/time.js';
import { type HealthReport, startHealthServer } from './health-server.js';
import { WorkerProcess } from './worker-process.js';

const FIRST_RESTART_MS = SECOND_MS;
const LONGEST_RESTART_MS = MINUTE_MS;
/** One that worked so long has not failed at its start: the next restart is quick again. */
const SETTLED_MS = MINUTE_MS;

export interface SuperviseOptions {
  /** The command line's own script. */
  script: string;
  /** Arguments of each process. */
  workers: readonly (readonly string[])[];
  env: NodeJS.ProcessEnv;
  healthPort: number | null;
  say(line: string): void;
  /** Fires on the first signal: every process is asked to stop. */
  signal: AbortSignal;
  /** Told once, when all of them work. */
  onReady(ready: { address: string; hostIds: string[] }): void;
  now: Clock;
}

/** How long to wait before the nth restart in a row, from 1. */
export function restartDelayMs(nth: number): number {
  return Math.min(LONGEST_RESTART_MS, FIRST_RESTART_MS * 2 ** (nth - 1));
}

/**
 * Worker processes under one supervisor: one that dies is started again, a signal goes to all, and they notice when
 * the supervisor dies. Ends when all have ended. Throws what kept one from starting the first time.
 */
export class WorkerSupervisor {
  private readonly slots: Slot[];
  private readonly stopping = new AbortController();
  private told = false;

  constructor(private readonly options: SuperviseOptions) {
    this.slots = options.workers.map((args) => ({ args, process: null, ready: null, begun: false }));
  }

  async run(): Promise<void> {
    const { signal, healthPort } = this.options;
    const server = await startHealthServer(healthPort, () => this.health());
    const stop = () => this.stop();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const kept = this.slots.map((slot) =>
      this.keep(slot).catch((error: unknown) => {
        stop();
        throw error;
      }),
    );
    try {
      const ends = await Promise.allSettled(kept);
      const failed = ends.find((end) => end.status === 'rejected');
      if (failed) throw failed.reason;
    } finally {
      signal.removeEventListener('abort', stop);
      await server.close();
    }
  }

  /** Asks every process to stop; the second time they leave at once. */
  stop(): void {
    this.stopping.abort();
    for (const { process } of this.slots) process?.stop();
  }

  private async keep(slot: Slot): Promise<void> {
    const { say, now } = this.options;
    for (let failures = 0; !this.stopping.signal.aborted; ) {
      const startedAt = now();
      slot.process = this.start(slot);
      const why = await slot.process.ended;
      const { failure } = slot.process;
      slot.process = null;
      slot.ready = null;
      if (this.stopping.signal.aborted) return;
      if (!slot.begun) throw failure ?? endedAtOnce(why);
      failures = now() - startedAt > SETTLED_MS ? 1 : failures + 1;
      const delayMs = restartDelayMs(failures);
      say(
        `A worker process ended (${failure?.message ?? why}); it is started again in ${delayMs / SECOND_MS} s.`,
      );
      await this.wait(delayMs);
    }
  }

  private start(slot: Slot): WorkerProcess {
    const { script, env } = this.options;
    const onReady = (ready: { address: string; hostId: string }) => {
      slot.begun = true;
      slot.ready = ready;
      this.tellWhenAllWork();
    };
    return new WorkerProcess({ script, args: slot.args, env, onReady });
  }

  private tellWhenAllWork(): void {
    const ready = this.slots.flatMap((slot) => slot.ready ?? []);
    const [first] = ready;
    if (this.told || first === undefined || ready.length < this.slots.length) return;
    this.told = true;
    this.options.onReady({ address: first.address, hostIds: ready.map(({ hostId }) => hostId) });
  }

  private async wait(ms: number): Promise<void> {
    const { signal } = this.stopping;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, ms);
      function done() {
        clearTimeout(timer);
        resolve();
      }
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
  }

  private async health(): Promise<HealthReport> {
    const reports = await Promise.all(
      this.slots.map(async ({ process, ready }) =>
        process !== null && ready !== null ? await process.health() : STARTING,
      ),
    );
    const workers = reports.map(({ ready, document }) => ({ ready, ...document }));
    return { ready: reports.every(({ ready }) => ready), document: { workers } };
  }
}

interface Slot {
  args: readonly string[];
  process: WorkerProcess | null;
  ready: { address: string; hostId: string } | null;
  /** Whether it ever worked. */
  begun: boolean;
}

const STARTING: HealthReport = { ready: false, document: { checks: { workers: 'starting' } } };

function endedAtOnce(why: string): LongrunError {
  return new LongrunError('internal', `a worker process ended before it worked (${why})`, {
    hint: 'its own message stands above; longrun worker without --processes shows it alone',
  });
}
