import type { HostRole } from '../core/host/host-role.js';
import type { HealthChecks } from './host-health.js';

/** Where a host stands. */
export interface HostStatus {
  hostId: string;
  role: HostRole;
  /** Sandboxes it may hold and holds, by kind. */
  capacity: Record<string, number>;
  live: Record<string, number>;
  /** Takes no new rollouts. */
  draining: boolean;
}

/** A worker that runs in this process. */
export interface HostWorker {
  hostId: string;
  status(): HostStatus;
  /** How many things it keeps for the runs that it has work of, by what they are; for others it keeps nothing. */
  held(): Record<string, number>;
  /** Asks for everything it needs to work, for real. */
  health(): Promise<HealthChecks>;
  /**
   * Takes no new rollouts and works on those it has. True when it holds none any more, false when `timeoutMs`
   * passed before; `shutdown` comes after either.
   */
  drain(timeoutMs: number): Promise<boolean>;
  /** Stops taking work, lets calls in the air end and be recorded (30 s), gives the host's lock back. */
  shutdown(): Promise<void>;
  /** Settles when the workers have ended; rejects when they failed. */
  done: Promise<void>;
}
