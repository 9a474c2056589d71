import { LongrunError } from '../core/errors.js';
import { type HealthReport, healthOrTrouble } from './health-server.js';
import type { ReadyWorker } from './host-process.js';

/** Set in the environment of worker processes that a supervisor started. */
export const SUPERVISED = 'LONGRUN_SUPERVISED';

/** What a worker process tells its supervisor. */
export type FromWorker =
  | { kind: 'ready'; address: string; hostId: string }
  | { kind: 'failed'; code: string; message: string; hint: string | null }
  | { kind: 'health'; report: HealthReport };

/** The one thing a supervisor asks. */
export const ASK_HEALTH = 'health';

/** The line to the supervisor of this process; its end is the supervisor's. */
export interface SupervisorLine {
  ready(worker: ReadyWorker): void;
  failed(error: unknown): Promise<void>;
  onLost(then: () => void): void;
}

/** The channel of a process to the one that started it. */
interface ProcessLine {
  readonly connected: boolean;
  send?(message: FromWorker, sent: () => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  once(event: 'disconnect', listener: () => void): unknown;
}

/** Null in a process that nobody supervises. */
export function supervisorLine(
  env: NodeJS.ProcessEnv,
  line: ProcessLine = process as ProcessLine,
): SupervisorLine | null {
  if (env[SUPERVISED] !== '1' || line.send === undefined) return null;
  const tell = (message: FromWorker): Promise<void> =>
    new Promise((resolve) => {
      // A supervisor that has died is noticed by the end of the line.
      if (line.connected && line.send) line.send(message, () => resolve());
      else resolve();
    });
  return {
    ready: ({ address, hostId, health }) => {
      line.on('message', (question) => {
        if (question === ASK_HEALTH)
          void healthOrTrouble(health).then((report) => tell({ kind: 'health', report }));
      });
      void tell({ kind: 'ready', address, hostId });
    },
    failed: (error) => {
      const { code, message, hint } = LongrunError.is(error)
        ? error
        : { code: 'internal', message: String(error), hint: undefined };
      return tell({ kind: 'failed', code, message, hint: hint ?? null });
    },
    onLost: (then) => void line.once('disconnect', then),
  };
}
