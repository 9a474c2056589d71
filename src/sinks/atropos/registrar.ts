import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LongrunError } from '../../core/errors.js';
import { SECOND_MS } from '../../core/time.js';
import { AppendLog } from '../../store/append-log.js';
import { keys } from '../../store/keys.js';
import { readRecord, writeRecord } from '../../store/records/records.js';
import { patiently } from '../host/patiently.js';
import type { SinkContext } from '../sink.js';
import type { Info, RegisteredEnv } from './api.schema.js';
import type { AtroposApi, EnvRegistration } from './atropos-api.js';
import { sizeProblem } from './backpressure.js';
import { type Registration, registrationSchema, type Standing, standingSchema } from './ledger.schema.js';

const TRAINER_POLL_MS = SECOND_MS;
/** Which of several of the same name it is: `name_1`. */
const NUMBER = /_(\d+)$/;
/** What an environment says that knows no limit of its own. */
const ANY_LENGTH = 1_048_576;

/** A registration, and what is known of the server that has it. */
export interface Registered {
  registration: Registration;
  standing: Standing;
}

/** Registrations of a run at servers, each of which forgets it when it ends. */
export class Registrar {
  private readonly log: AppendLog<typeof registrationSchema>;
  private readonly standingKey: string;

  constructor(
    private readonly context: SinkContext,
    private readonly base: URL,
  ) {
    const folder = keys.sink(context.run.runId, context.name);
    this.log = new AppendLog(context.store, registrationSchema, `${folder}/registrations`);
    this.standingKey = `${folder}/standing.json`;
  }

  /** The newest registration, as it was left; null before the first. */
  async last(): Promise<Registered | null> {
    const standing = await this.patient(() =>
      readRecord(this.context.store, standingSchema, this.standingKey),
    );
    if (standing === null) return null;
    const registration = await this.patient(() => this.log.read(standing.registration));
    return registration === null ? null : { registration, standing };
  }

  async putStanding(standing: Standing): Promise<void> {
    await this.patient(() => writeRecord(this.context.store, standingSchema, this.standingKey, standing));
  }

  /**
   * Registers once a trainer is there; waits for it. What is posted before that spoils the server for good. Throws
   * `sink_refused` when groups of the run's size never fill the trainer's batches, and `sink_unavailable`.
   */
  async register(api: AtroposApi): Promise<Registered> {
    const { context } = this;
    for (;;) {
      context.signal.throwIfAborted();
      const info = await api.info();
      if (info.batch_size >= 0) {
        this.checkSize(info);
        await context.checkFence();
        const env = await api.registerEnv(this.asEnvironment(info));
        if (env !== null) return await this.keep(info, env);
      }
      const awaited = info.batch_size < 0 ? 'a trainer to register' : "the trainer's first batch request";
      context.report({ note: `waits for ${awaited} at ${this.base.origin}` });
      await sleep(TRAINER_POLL_MS, undefined, { signal: context.signal });
    }
  }

  /**
   * Whether the server is the one that has this registration. After a restart another producer may have got its number,
   * and no answer names whose a number is. But a server counts the environments of one name: a second one of ours, of
   * no weight and disconnected again, gets a number above 0 only where the first is known.
   */
  async isKnown(api: AtroposApi, registered: Registered): Promise<boolean> {
    const { registration, standing } = registered;
    const name = registration.wandbName?.replace(NUMBER, '');
    if (name === undefined) return false;
    const ask = async (asked: number) => {
      registered.standing = { ...registered.standing, asked };
      await this.putStanding(registered.standing);
    };
    await ask(standing.asked + 1);
    await this.context.checkFence();
    const second = await api.registerEnv({
      ...this.environment(name, registration.maxTokenLength),
      weight: 0,
    });
    if (second === null) return false;
    // Those that were asked for in vain may all be at a server that has restarted.
    const known = Number(NUMBER.exec(second.wandb_name ?? '')?.[1] ?? 0) > standing.asked;
    await api.disconnectEnv(second.env_id);
    if (known) await ask(0);
    return known;
  }

  private checkSize({ batch_size }: Info): void {
    const problem = sizeProblem(this.context.run.config.groupSize ?? 1, batch_size);
    if (problem === null) return;
    throw new LongrunError('sink_refused', `At ${this.base.origin} ${problem}`, {
      hint: 'Start the trainer with another batch size, then `longrun runs resume`; or begin a run with another --group-size.',
    });
  }

  /** Under a name that nobody else has, not even another run of the same id. */
  private asEnvironment(info: Info): EnvRegistration {
    const name = `${this.context.run.runId}-${randomBytes(4).toString('hex')}`;
    return this.environment(name, this.lengthLimit(info));
  }

  private environment(name: string, maxTokenLength: number | null): EnvRegistration {
    const { config } = this.context.run;
    return {
      max_token_length: maxTokenLength ?? ANY_LENGTH,
      desired_name: name,
      weight: config.serve?.weight ?? 1,
      group_size: config.groupSize ?? 1,
      min_batch_allocation: null,
    };
  }

  private lengthLimit({ max_token_len }: Info): number | null {
    const limits = [max_token_len, this.context.run.config.serve?.maxTokenLength ?? 0].filter((n) => n > 0);
    return limits.length === 0 ? null : Math.min(...limits);
  }

  private async keep(info: Info, env: RegisteredEnv): Promise<Registered> {
    const registration: Registration = {
      schemaVersion: 1,
      envId: env.env_id,
      wandbName: env.wandb_name,
      batchSize: info.batch_size,
      maxTokenLength: this.lengthLimit(info),
      startingStep: env.starting_step,
      numSteps: env.num_steps < 0 ? null : env.num_steps,
      checkpointDir: env.checkpoint_dir,
      checkpointInterval: env.checkpoint_interval,
      at: this.context.now(),
    };
    const number = await this.patient(() => this.log.append(registration));
    const standing: Standing = {
      schemaVersion: 1,
      registration: number,
      step: env.starting_step,
      strays: 0,
      late: 0,
      asked: 0,
      lost: false,
      disconnected: false,
    };
    await this.putStanding(standing);
    this.context.logger.info(
      { envId: env.env_id, batchSize: info.batch_size, step: env.starting_step },
      `registered at ${this.base.origin} as ${env.wandb_name}`,
    );
    return { registration, standing };
  }

  private patient<T>(work: () => Promise<T>): Promise<T> {
    return patiently(work, { signal: this.context.signal });
  }
}
