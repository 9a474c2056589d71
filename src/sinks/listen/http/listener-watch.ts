import type { ServeConfig } from '../../../core/run/serve-config.schema.js';
import { SECOND_MS } from '../../../core/time.js';
import type { SinkContext } from '../../sink.js';
import { type Listener, nextBatch } from '../index.js';

/** A trainer that has all its steps and does not ask any more for so long has what it wants. */
const TRAINER_QUIET_MS = 30 * SECOND_MS;

/** What follows for the run from what happens at its listener: how much may be started, which policy is trained, when it ends. */
export class ListenerWatch {
  private listener: Listener | null = null;
  private told: string | null = null;
  private telling: Promise<void> = Promise.resolve();
  private failure: unknown = null;
  private finished = false;
  private changedAt: number;

  constructor(
    private readonly context: SinkContext,
    private readonly serve: ServeConfig,
  ) {
    this.changedAt = context.now();
  }

  async begin(listener: Listener): Promise<void> {
    this.listener = listener;
    this.changed();
    await this.telling;
    this.throwIfFailed();
  }

  changed(): void {
    if (this.listener === null) return;
    this.changedAt = this.context.now();
    const { state } = this.listener;
    this.context.report({
      queued: state.queue.length,
      counts: {
        step: state.step,
        batches_handed_out: state.batches,
        batches_acknowledged: state.acknowledged,
        items_acknowledged: state.itemsAcknowledged,
        items_repeated: state.repeats,
      },
    });
    this.telling = this.telling
      .then(() => this.tell())
      .catch((error: unknown) => {
        this.failure = error;
      });
  }

  throwIfFailed(): void {
    if (this.failure !== null) throw this.failure;
  }

  /** Says how much may be started: what has closed, and what the queue has room for. */
  async allow(): Promise<void> {
    await this.context.allow((await this.context.feed.closed()) + this.room());
  }

  /** Nothing is with the trainer unacknowledged, and what is left fills no batch; or the trainer has all it wanted. */
  isDelivered(): boolean {
    const { state } = this.listener as Listener;
    if (this.hasAllSteps() && this.context.now() - this.changedAt > TRAINER_QUIET_MS) return true;
    if (state.outstanding !== null) return false;
    if (state.registration === null) return state.queue.length === 0;
    // What only waits for the share of another producer is still to be delivered.
    return nextBatch({ ...state, envs: [] }) === null;
  }

  async end(): Promise<void> {
    await this.telling;
  }

  /** In groups: never less than a batch takes, never more than the trainer can use before they are too old. */
  private room(): number {
    const { state } = this.listener as Listener;
    const { maxQueue, maxBatchesOffpolicy } = this.serve;
    const { registration } = state;
    if (registration === null) return Math.max(0, maxQueue - state.queue.length);
    const groupSize = this.context.run.config.groupSize ?? 1;
    const inBatch = Math.max(1, Math.ceil(registration.batchSize / groupSize));
    const most = Math.max(inBatch, Math.min(maxQueue, maxBatchesOffpolicy * inBatch));
    const room = (queue: typeof state.queue) =>
      Math.max(0, most - Math.ceil(queue.reduce((sum, { size }) => sum + size, 0) / groupSize));
    const left = room(state.queue);
    if (left > 0 || nextBatch(state) !== null) return left;
    // What others posted before they knew the trainer's batches may fill none, and would wait there for ever.
    return room(state.queue.filter(({ size }) => size % groupSize === 0));
  }

  private hasAllSteps(): boolean {
    const { registration, step } = (this.listener as Listener).state;
    return registration !== null && registration.numSteps > 0 && step >= registration.numSteps;
  }

  /** The version of the weights is the number of steps that the trainer has finished, unless it says so itself. */
  private async tell(): Promise<void> {
    const { state } = this.listener as Listener;
    if (this.hasAllSteps() && !this.finished) {
      this.finished = true;
      await this.context.finish();
    }
    const version = String(state.trained);
    if (state.registration === null || this.serve.policyVersions !== 'trainer' || this.told === version)
      return;
    const { policies } = this.context;
    if ((await policies.latest())?.source !== 'api') await policies.tell({ version, source: 'trainer' });
    this.told = version;
  }
}
