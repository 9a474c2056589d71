import { setTimeout as sleep } from 'node:timers/promises';
import { LongrunError } from '../../core/errors.js';
import { SECOND_MS } from '../../core/time.js';
import type { SinkContext } from '../sink.js';
import type { EnvStatus } from './api.schema.js';
import type { AtroposApi } from './atropos-api.js';
import { allowedGroups, trainerHasEnough } from './backpressure.js';
import { Ending } from './ending.js';
import type { Standing } from './ledger.schema.js';
import { Line } from './line.js';
import { Outbox } from './outbox.js';
import { type Registered, Registrar } from './registrar.js';
import { type Prepared, Sender } from './sender.js';
import { ServerQueue } from './server-queue.js';

export interface ProducerOptions {
  /** Between two looks at the server while there is nothing to send. */
  pollMs: number;
  /** How long a server that answered nobody is left alone, at first and at most. */
  retryMs: { first: number; longest: number };
  postTimeoutMs?: number;
  /** How long the last batches are watched at least, which no later step confirms. */
  lingerMs: number;
}

/** Where the sink is registered, and what that server has of ours. */
interface Station extends Registered {
  queue: ServerQueue;
  /** The connection over which it is certain that the server is still that one; null = it may be another by now. */
  knownTo: AtroposApi | null;
}

/** One sender: looks at the server, takes in what the look says, posts one item, looks again. */
export class Producer {
  private readonly outbox: Outbox;
  private readonly registrar: Registrar;
  private readonly sender: Sender;
  private readonly ending: Ending;
  private readonly line: Line;
  private station: Station | null = null;
  private finished = false;
  private failures = 0;

  constructor(
    private readonly context: SinkContext,
    private readonly base: URL,
    private readonly options: ProducerOptions,
  ) {
    this.outbox = new Outbox(context);
    this.registrar = new Registrar(context, base);
    this.sender = new Sender(context, this.outbox);
    this.ending = new Ending(context, options.lingerMs);
    this.line = new Line(base, context.signal, options.postTimeoutMs);
  }

  /** Until everything is delivered, as far as that can be promised. */
  async work(): Promise<void> {
    try {
      await this.outbox.takeNew();
      await this.takeUp();
      for (;;) {
        this.context.signal.throwIfAborted();
        try {
          if (await this.round()) return;
          this.failures = 0;
        } catch (error) {
          await this.waitOut(error);
        }
      }
    } finally {
      this.line.close();
    }
  }

  /** Goes on from where an earlier executor stood. */
  private async takeUp(): Promise<void> {
    const last = await this.registrar.last();
    if (last === null) return;
    const { registration, lost } = last.standing;
    if (!lost) this.station = this.stationed(last, null);
    this.outbox.forget((sent) => lost || sent !== registration, 'the server restarted');
  }

  private stationed({ registration, standing }: Registered, knownTo: AtroposApi | null): Station {
    const batchItems = registration.batchSize / (this.context.run.config.groupSize ?? 1);
    const items = this.outbox.sentUnder(standing.registration);
    return { registration, standing, knownTo, queue: new ServerQueue(standing, batchItems, items) };
  }

  private async register(api: AtroposApi): Promise<Station> {
    return this.stationed(await this.registrar.register(api), api);
  }

  /** True once there is nothing left to do. */
  private async round(): Promise<boolean> {
    this.station ??= await this.register(this.line.api);
    const { station } = this;
    await this.outbox.takeNew();
    const prepared = await this.sender.prepare(station.registration.maxTokenLength);
    const sent = await this.exchange(this.line.api, station, prepared);
    if (sent || this.station === null) return false;
    if (await this.ending.reached(this.outbox, station)) return true;
    await sleep(this.options.pollMs, undefined, { signal: this.context.signal });
    return false;
  }

  /** One look and, where there is something to send, one post, over one connection. True when it posted. */
  private async exchange(api: AtroposApi, station: Station, prepared: Prepared | null): Promise<boolean> {
    await this.context.checkFence();
    const status = await this.statusOf(api, station);
    if (typeof status === 'string') {
      await this.serverLost(station, status);
      return false;
    }
    const doubt = await this.sender.settleDoubt(station.queue, status);
    if (doubt === 'open') return false;
    const look = station.queue.look(status);
    if (doubt === 'lost' || look.lost !== null) {
      await this.serverLost(station, look.lost ?? 'its queue is not the one that we posted to');
      return false;
    }
    await this.outbox.saveChanged(look.changed);
    await this.tell(station, status);
    if (prepared === null) return false;
    await this.sender.send(api, prepared, station, status);
    this.ending.sent();
    return true;
  }

  /** What the server says of us, or why it is not the one that we registered at. */
  private async statusOf(api: AtroposApi, station: Station): Promise<EnvStatus | string> {
    const { envId } = station.registration;
    const status = await api.envStatus(envId);
    if (status === null) return `the server does not know environment ${envId} any more`;
    if (station.knownTo === api) return status;
    if (!(await this.registrar.isKnown(api, station)))
      return `the server has given the number ${envId} of our environment to another`;
    station.knownTo = api;
    return status;
  }

  /** Policy version, backpressure and the trainer's end follow from every look. */
  private async tell(station: Station, status: EnvStatus): Promise<void> {
    const { registration, standing, queue } = station;
    const { context } = this;
    const { groupSize, serve } = context.run.config;
    const size = groupSize ?? 1;
    const now = queue.standing;
    if (serve?.policyVersions === 'trainer')
      await context.policies.tell({ version: String(now.step), source: 'trainer' });
    if (now.step !== standing.step || now.strays !== standing.strays || now.late !== standing.late) {
      this.ending.rose(now.step - standing.step);
      await this.putStanding(station, {});
    }
    const closed = await context.feed.closed();
    await this.outbox.takeNew();
    const share = { groupSize: size, maxBatchesOffpolicy: serve?.maxBatchesOffpolicy ?? 1 };
    const allowed = allowedGroups(status, registration, share, this.outbox.unsent);
    await context.allow(closed + allowed);
    if (!this.finished && trainerHasEnough(status, registration, size)) {
      this.finished = true;
      await context.finish();
    }
    context.report({
      queued: this.outbox.unsent,
      counts: { step: now.step, at_the_server: queue.waiting, unconfirmed: this.outbox.groups.length },
      note: `posts to ${this.base.origin}`,
    });
  }

  private async putStanding(station: Station, change: Partial<Standing>): Promise<void> {
    station.standing = { ...station.standing, ...station.queue.standing, ...change };
    await this.registrar.putStanding(station.standing);
  }

  /** Everything that it had and that is not confirmed is sent again, in order, under a new registration. */
  private async serverLost(station: Station, reason: string): Promise<void> {
    this.context.logger.warn({ envId: station.registration.envId }, `registers again: ${reason}`);
    await this.putStanding(station, { lost: true });
    this.outbox.forget((sent) => sent === station.standing.registration, reason);
    this.sender.forget();
    this.station = null;
  }

  /** Trouble that passes by itself is waited out: nothing is lost meanwhile, and nothing new begun. */
  private async waitOut(error: unknown): Promise<void> {
    const { signal, report } = this.context;
    signal.throwIfAborted();
    if (!LongrunError.is(error, 'sink_unavailable')) throw error;
    this.sender.forget();
    const { first, longest } = this.options.retryMs;
    const ms = Math.min(longest, first * 2 ** Math.min(this.failures++, 10));
    this.context.logger.debug({ err: error }, 'the Atropos server is awaited');
    report({ note: `waits for the server: ${error.message}` });
    await sleep(ms, undefined, { signal });
  }
}

export const PRODUCER_OPTIONS: ProducerOptions = {
  pollMs: SECOND_MS / 2,
  retryMs: { first: SECOND_MS / 4, longest: 5 * SECOND_MS },
  lingerMs: 30 * SECOND_MS,
};
