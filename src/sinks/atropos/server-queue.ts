import type { EnvStatus } from './api.schema.js';
import type { Item, Snapshot, Standing } from './ledger.schema.js';

/** What a look at the server came to. */
export type Look = { lost: string; changed: readonly Item[] } | { lost: null; changed: readonly Item[] };

/** Whether a post of which nobody knows arrived. */
export type Arrival = 'arrived' | 'not_arrived' | 'unknown' | 'lost';

/**
 * What a server has of ours under one registration, told from its step and from how many of our items are in its
 * queue. It takes items off in their order when it forms batches, and then raises the step by the number of
 * batches; the next rise means that all of those were handed out. What does not add up is another server's answer.
 */
export class ServerQueue {
  private step: number;
  private strays: number;
  private late: number;
  private alone = true;
  /** In the queue, the oldest first. */
  private queued: Item[];
  private taken: Item[];

  /** `items`: those of this registration that are not confirmed, in the order in which they were accepted. */
  constructor(
    { step, strays, late }: Pick<Standing, 'step' | 'strays' | 'late'>,
    /** Items of ours that fill a batch. */
    readonly batchItems: number,
    items: readonly Item[],
  ) {
    this.step = step;
    this.strays = strays;
    this.late = late;
    this.queued = items.filter(({ state }) => state === 'queued');
    this.taken = items.filter(({ state }) => state === 'taken');
  }

  get standing(): Pick<Standing, 'step' | 'strays' | 'late'> {
    return { step: this.step, strays: this.strays, late: this.late };
  }

  /** Items of ours that wait there. */
  get waiting(): number {
    return this.queued.length + this.strays;
  }

  snapshot({ current_step: step, self_queue_size: own }: EnvStatus): Snapshot {
    return { step, own, alone: this.alone };
  }

  accepted(item: Item): void {
    item.state = 'queued';
    this.queued.push(item);
  }

  /** An item is given up for lost that may be in the queue after all. */
  mayTurnUp(): void {
    this.late += 1;
  }

  /** To be called when no post is open. */
  look(status: EnvStatus): Look {
    const { current_step: step, self_queue_size: own } = status;
    if (step < this.step) return lost(`its step went back from ${this.step} to ${step}`);
    const more = own - this.waiting;
    if (more > this.late) return lost(`its queue has ${own} groups of ours, and we know of ${this.waiting}`);
    if (more > 0) {
      this.late -= more;
      this.strays += more;
    }
    const gone = this.waiting - own;
    const batches = step - this.step;
    if (batches === 0 && gone > 0)
      return lost(`${gone} groups are gone from its queue, and its step is the same`);
    this.alone &&= isAlone(status) && gone === batches * this.batchItems;
    this.step = step;
    const confirmed = this.taken.filter(({ takenAt }) => (takenAt as number) < step);
    for (const item of confirmed) item.state = 'confirmed';
    return { lost: null, changed: [...confirmed, ...this.takeOff(gone)] };
  }

  /**
   * Strays count as older than all that we know, so that no item is taken for gone that one of them may hold the
   * place of.
   */
  private takeOff(gone: number): Item[] {
    const strays = Math.min(gone, this.strays);
    this.strays -= strays;
    const off = this.queued.splice(0, gone - strays);
    for (const item of off) {
      item.state = 'taken';
      item.takenAt = this.step;
    }
    this.taken = [...this.taken.filter(({ state }) => state !== 'confirmed'), ...off];
    return off;
  }
}

/**
 * Whether the post before which a server stood as `before` arrived. While the step is the same the queue tells; when
 * it rose meanwhile, accepted = queued + batch × steps, which holds while nobody else produces.
 */
export function arrival(before: Snapshot, status: EnvStatus, batchItems: number): Arrival {
  const steps = status.current_step - before.step;
  if (steps < 0) return 'lost';
  if (steps > 0 && !(before.alone && isAlone(status))) return 'unknown';
  const accepted = status.self_queue_size - before.own + steps * batchItems;
  if (accepted === 1) return 'arrived';
  if (accepted === 0) return 'not_arrived';
  return steps === 0 ? 'lost' : 'unknown';
}

const isAlone = ({ queue_size, self_queue_size }: EnvStatus): boolean => queue_size === self_queue_size;
const lost = (reason: string): Look => ({ lost: reason, changed: [] });
