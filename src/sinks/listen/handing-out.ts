import { badInput } from '../../core/errors.js';
import type { Decision, EventLog } from './event-log.js';
import type { ListenerState } from './listener.schema.js';
import { nextBatch } from './listener-state.js';

/** What is to be answered to a trainer that asks for a batch. */
export type Answer =
  | { kind: 'unregistered' }
  /** None is ready, or it is the one null after a batch. */
  | { kind: 'none' }
  | { kind: 'batch'; handout: Handout };

/** One delivery of a batch, by which its response tells how it ended. */
export interface Handout {
  batch: number;
  /** The how-manieth delivery of the batch. */
  delivery: number;
  registrations: number;
}

/**
 * Who gets which batch when. A trainer that says `ack` gets each exactly once. For one that does not, a batch is
 * followed by one null, and the first question after that is the acknowledgement. Whatever makes unsure that it has
 * its batch (a response that was cut, a new registration, another process) hands the same one out again, marked.
 */
export class HandingOut {
  /** What this process is sending, and what it has sent to the end; it dies with the process, on purpose. */
  private sending: Handout | null = null;
  private sent: Handout | null = null;
  private nullTold = false;
  private tail: Promise<unknown> = Promise.resolve();

  constructor(private readonly log: EventLog) {}

  /** `ack`: the newest batch that the trainer has, 0 for none; null = it does not say. Throws `bad_input`. */
  next(ack: number | null): Promise<Answer> {
    const turn = this.tail.then(() => this.answer(ack));
    this.tail = turn.catch(() => undefined);
    return turn;
  }

  private async answer(ack: number | null): Promise<Answer> {
    if (this.log.state.registration === null) return { kind: 'unregistered' };
    if (!this.log.state.started)
      await this.log.commit(({ started }) => ({ event: started ? null : { kind: 'started' }, result: null }));
    const answer = await this.log.commit((state) => this.decide(state, ack));
    if (answer.kind !== 'batch') return answer;
    const { outstanding, registrations } = this.log.state;
    // Decided and applied in one step: what is outstanding now is what the event handed out.
    const handout = { batch: outstanding?.batch ?? 0, delivery: outstanding?.deliveries ?? 0, registrations };
    this.sending = handout;
    this.sent = null;
    return { kind: 'batch', handout };
  }

  /** The response is with the network to its last byte. */
  wasSent(handout: Handout): void {
    if (!same(this.sending, handout)) return;
    this.sending = null;
    this.sent = handout;
    this.nullTold = false;
  }

  /** The connection ended before that, or before the client had read it all. */
  wasCut(handout: Handout): void {
    if (same(this.sending, handout)) this.sending = null;
    if (same(this.sent, handout) && !this.nullTold) this.sent = null;
  }

  private decide(state: ListenerState, ack: number | null): Decision<Answer> {
    if (ack !== null && ack > state.batches)
      throw badInput(`ack=${ack}: the newest batch that was handed out is ${state.batches}.`);
    const { outstanding } = state;
    if (outstanding === null) return this.issue(state, null);
    const { batch, deliveries: delivery } = outstanding;
    const current: Handout = { batch, delivery, registrations: state.registrations };
    if (ack !== null && ack >= batch) return this.issue(state, batch);
    if (ack === null && same(this.sending, current)) return none;
    if (ack === null && same(this.sent, current)) {
      if (this.nullTold) return this.issue(state, batch);
      this.nullTold = true;
      return none;
    }
    return { event: { kind: 'reissued', batch }, result: { kind: 'batch', handout: current } };
  }

  private issue(state: ListenerState, acknowledges: number | null): Decision<Answer> {
    const entries = nextBatch(state);
    if (entries !== null) {
      const batch = state.batches + 1;
      const handout = { batch, delivery: 1, registrations: state.registrations };
      return { event: { kind: 'issued', batch, entries, acknowledges }, result: { kind: 'batch', handout } };
    }
    return acknowledges === null
      ? none
      : { event: { kind: 'acknowledged', batch: acknowledges }, result: { kind: 'none' } };
  }
}

const none: Decision<Answer> = { event: null, result: { kind: 'none' } };

const same = (a: Handout | null, b: Handout): boolean =>
  a !== null && a.batch === b.batch && a.delivery === b.delivery && a.registrations === b.registrations;
