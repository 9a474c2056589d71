import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { LongrunError } from '../core/errors.js';
import type { HostRole } from '../core/host/host-role.js';
import { type Clock, SECOND_MS } from '../core/time.js';
import { HOST_PRESENT_MS, type HostRecord, hostRecordSchema, isPresent } from '../store/hosts.js';
import { keys } from '../store/keys.js';
import { readRecord, writeRecord } from '../store/records/records.js';
import type { ArtifactStore } from '../store/store.js';

const BEAT_MS = 10 * SECOND_MS;

/** What a worker tells of itself. */
export interface HostFacts {
  hostId: string;
  role: HostRole;
  capacity: Record<string, number>;
  live(): Record<string, number>;
}

/** Tells the store every 10 s that this host is there, so that runs know where work could move. */
export class HostPresence {
  private draining = false;
  private leftAt: number | null = null;
  private written: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | null = null;

  private constructor(
    private readonly store: ArtifactStore,
    private readonly facts: HostFacts,
    private readonly firstSeenAt: number,
    private readonly logger: Logger,
    private readonly now: Clock,
  ) {}

  /** Errors: `host_locked` when another machine is this host now. */
  static async begin(
    store: ArtifactStore,
    facts: HostFacts,
    logger: Logger,
    now: Clock = Date.now,
  ): Promise<HostPresence> {
    const known = await readRecord(store, hostRecordSchema, keys.host(facts.hostId));
    if (known !== null) refuseElsewhere(known, now());
    const presence = new HostPresence(store, facts, known?.firstSeenAt ?? now(), logger, now);
    await presence.write();
    presence.timer = setInterval(() => presence.beat(), BEAT_MS);
    presence.timer.unref();
    return presence;
  }

  /** From now on it takes no new rollouts. */
  drain(): Promise<void> {
    this.draining = true;
    return this.beat();
  }

  /** Says goodbye; never fails. */
  leave(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.leftAt = this.now();
    return this.beat();
  }

  private beat(): Promise<void> {
    this.written = this.written
      .then(() => this.write())
      .catch((error: unknown) => this.logger.debug({ err: error }, 'could not tell the store of this host'));
    return this.written;
  }

  private write(): Promise<void> {
    const { hostId, role, capacity, live } = this.facts;
    const record: HostRecord = {
      schemaVersion: 1,
      hostId,
      hostname: hostname(),
      firstSeenAt: this.firstSeenAt,
      role,
      pid: process.pid,
      capacity,
      live: live(),
      draining: this.draining,
      lastSeenAt: this.now(),
      leftAt: this.leftAt,
    };
    return writeRecord(this.store, hostRecordSchema, keys.host(hostId), record);
  }
}

/** The lock of a state folder cannot see other machines. */
function refuseElsewhere(known: HostRecord, now: number): void {
  if (known.hostname === hostname() || !isPresent(known, now)) return;
  throw new LongrunError('host_locked', `${known.hostname} is host ${known.hostId} of this store now`, {
    hint: `give each machine a --host-id of its own; a host that died is forgotten after ${HOST_PRESENT_MS / SECOND_MS} s`,
    details: { hostname: known.hostname },
  });
}
