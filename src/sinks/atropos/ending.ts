import { MINUTE_MS } from '../../core/time.js';
import type { SinkContext } from '../sink.js';
import type { Registration } from './ledger.schema.js';
import type { Outbox } from './outbox.js';
import type { ServerQueue } from './server-queue.js';

const LONGEST_LINGER_MS = 15 * MINUTE_MS;
const UNCONFIRMED = 'the run ended before a later step could confirm it';

/**
 * When a run that has ended is delivered. No step confirms the last batches, and what does not fill a batch is never
 * taken: both are watched for as long as the trainer needs for what it was given, so that a server that dies
 * meanwhile is given them again.
 */
export class Ending {
  private changedAt: number;
  private roseAt: number;
  private lastRise = 1;
  private slowestStepMs = 0;

  constructor(
    private readonly context: SinkContext,
    private readonly lingerMs: number,
  ) {
    this.changedAt = context.now();
    this.roseAt = this.changedAt;
  }

  /** The server was given something. */
  sent(): void {
    this.changedAt = this.context.now();
  }

  /** The trainer was given so many batches at once. */
  rose(batches: number): void {
    if (batches < 1) return;
    const at = this.context.now();
    this.slowestStepMs = Math.max(this.slowestStepMs, (at - this.roseAt) / batches);
    this.lastRise = batches;
    this.changedAt = at;
    this.roseAt = at;
  }

  async reached(
    outbox: Outbox,
    { registration, queue }: { registration: Registration; queue: ServerQueue },
  ): Promise<boolean> {
    const { feed, now, logger, run } = this.context;
    if (outbox.unsent > 0 || outbox.inDoubt !== null || !(await feed.ended())) return false;
    if (outbox.groups.length === 0) return true;
    const { numSteps, batchSize } = registration;
    const trainerEnded = numSteps !== null && queue.standing.step >= numSteps;
    const fillsBatch = queue.waiting * (run.config.groupSize ?? 1) >= batchSize;
    if (fillsBatch && !trainerEnded) return false;
    const longEnough = Math.min(
      LONGEST_LINGER_MS,
      Math.max(this.lingerMs, 2 * this.lastRise * this.slowestStepMs),
    );
    if (now() - this.changedAt < longEnough) return false;
    logger.warn(
      { groups: outbox.groups.length, waiting: queue.waiting },
      'the last groups are at the server, and no later step tells that the trainer has them',
    );
    for (const group of [...outbox.groups]) {
      group.reason = group.dropped === null ? UNCONFIRMED : group.reason;
      await outbox.save(group);
      feed.settled(group.key, group.dropped ?? 'delivered', group.masked);
    }
    return true;
  }
}
