import { setTimeout as sleep } from 'node:timers/promises';
import { LongrunError } from '../../core/errors.js';
import { SECOND_MS } from '../../core/time.js';
import { AppendLog } from '../../store/append-log.js';
import { keys } from '../../store/keys.js';
import { readRecord, writeRecord } from '../../store/records.js';
import { patiently } from '../host/patiently.js';
import type { SinkContext } from '../sink.js';
import type { Info, RegisteredEnv } from './api.schema.js';
import { talk } from './atropos-api.js';
import { sizeProblem } from './backpressure.js';
import { type Registration, registrationSchema, type Standing, standingSchema } from './ledger.schema.js';

const TRAINER_POLL_MS = SECOND_MS;
/** What an environment says that knows no limit of its own. */
const ANY_LENGTH = 1_048_576;

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
  async last(): Promise<{ registration: Registration; standing: Standing } | null> {
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
  async register(): Promise<{ registration: Registration; standing: Standing }> {
    const { context } = this;
    for (;;) {
      context.signal.throwIfAborted();
      const answered = await talk(
        this.base,
        async (api) => {
          const info = await api.info();
          if (info.batch_size < 0) return `waits for a trainer to register at ${this.base.origin}`;
          this.checkSize(info);
          await context.checkFence();
          const env = await api.registerEnv(this.asEnvironment(info));
          return env === null
            ? `waits for the trainer's first batch request at ${this.base.origin}`
            : { info, env };
        },
        { signal: context.signal },
      );
      if (typeof answered !== 'string') return await this.keep(answered.info, answered.env);
      context.report({ note: answered });
      await sleep(TRAINER_POLL_MS, undefined, { signal: context.signal });
    }
  }

  private checkSize({ batch_size }: Info): void {
    const problem = sizeProblem(this.context.run.config.groupSize ?? 1, batch_size);
    if (problem === null) return;
    throw new LongrunError('sink_refused', `At ${this.base.origin} ${problem}`, {
      hint: 'Start the trainer with another batch size, then `longrun runs resume`; or begin a run with another --group-size.',
    });
  }

  private asEnvironment(info: Info) {
    const { runId, config } = this.context.run;
    return {
      max_token_length: this.lengthLimit(info) ?? ANY_LENGTH,
      desired_name: runId,
      weight: config.serve?.weight ?? 1,
      group_size: config.groupSize ?? 1,
      min_batch_allocation: null,
    };
  }

  private lengthLimit({ max_token_len }: Info): number | null {
    const limits = [max_token_len, this.context.run.config.serve?.maxTokenLength ?? 0].filter((n) => n > 0);
    return limits.length === 0 ? null : Math.min(...limits);
  }

  private async keep(info: Info, env: RegisteredEnv) {
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
      posted: false,
      strays: 0,
      late: 0,
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
