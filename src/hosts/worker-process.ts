import { type ChildProcess, fork } from 'node:child_process';
import { type ErrorCode, LongrunError } from '../core/errors.js';
import { SECOND_MS } from '../core/time.js';
import type { HealthReport } from './health-server.js';
import { ASK_HEALTH, type FromWorker, SUPERVISED } from './supervised.js';

/** The process itself gives each of its checks 5 s. */
const HEALTH_PATIENCE_MS = 7 * SECOND_MS;

export interface WorkerProcessOptions {
  /** The command line's own script and its arguments. */
  script: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  onReady(ready: { address: string; hostId: string }): void;
}

/** One worker process under a supervisor. */
export class WorkerProcess {
  /** Why it ended, in words; never rejects. */
  readonly ended: Promise<string>;
  /** What it said before it ended, when it could not start. */
  failure: LongrunError | null = null;
  private readonly child: ChildProcess;
  private answer: ((report: HealthReport) => void) | null = null;
  private asking: Promise<HealthReport> | null = null;

  constructor({ script, args, env, onReady }: WorkerProcessOptions) {
    // In a session of its own: a terminal's Ctrl-C reaches the supervisor alone, which passes it on once.
    this.child = fork(script, args, {
      env: { ...env, [SUPERVISED]: '1' },
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.ended = new Promise((resolve) => {
      this.child.once('error', (error) => resolve(error.message));
      this.child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    this.child.on('message', (message) => {
      const told = message as FromWorker;
      if (told.kind === 'ready') onReady(told);
      else if (told.kind === 'health') this.answer?.(told.report);
      else this.failure = failureOf(told);
    });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** All who ask at once share a question. */
  health(): Promise<HealthReport> {
    this.asking ??= this.ask().finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  stop(): void {
    this.child.kill('SIGTERM');
  }

  private async ask(): Promise<HealthReport> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<HealthReport>((resolve) => {
      const error = `no answer within ${HEALTH_PATIENCE_MS / SECOND_MS} s`;
      timer = setTimeout(() => resolve({ ready: false, document: { error } }), HEALTH_PATIENCE_MS);
    });
    const answered = new Promise<HealthReport>((resolve) => {
      this.answer = resolve;
    });
    if (this.child.connected) this.child.send(ASK_HEALTH, () => undefined);
    try {
      return await Promise.race([answered, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function failureOf({ code, message, hint }: Extract<FromWorker, { kind: 'failed' }>): LongrunError {
  return new LongrunError(code as ErrorCode, message, hint === null ? {} : { hint });
}
