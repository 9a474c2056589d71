import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, toStoreError } from '../../store/filesystem/store-error.js';
import { keys } from '../../store/keys.js';
import { readRecord, writeRecord } from '../../store/records.js';
import type { ArtifactStore } from '../../store/store.js';
import type { SinkContext } from '../sink.js';
import { stateFileSchema, type TrainerState, trainerStateSchema } from './trainer-state.schema.js';

export const STATE_FILE = 'state.json';

const stateKey = (runId: string): string => `${keys.sink(runId, 'tinker')}/trainer.json`;

/** What the trainer said last that was taken; null = there is none yet. */
export function readTrainerState(store: ArtifactStore, runId: string): Promise<TrainerState | null> {
  return readRecord(store, trainerStateSchema, stateKey(runId));
}

/** The trainer's side of the folder: what `state.json` says, as far as it can be believed. */
export class TrainerFollower {
  /** What the file held when it was last looked at. */
  private seen: string | null = null;
  private broken = false;

  private constructor(
    private readonly context: SinkContext,
    private readonly path: string,
    private readonly written: () => number,
    /** What was taken last; null = there is no trainer yet. */
    public state: TrainerState | null,
  ) {}

  /** `written`: how many batches there are. */
  static async open(context: SinkContext, folder: string, written: () => number): Promise<TrainerFollower> {
    const state = await readTrainerState(context.store, context.run.runId);
    return new TrainerFollower(context, join(folder, STATE_FILE), written, state);
  }

  /** Looks at the file, and tells the run of new weights. What is wrong with it is said once. */
  async look(): Promise<void> {
    const text = await readFile(this.path, 'utf8').catch((error: unknown) => {
      if (errnoOf(error) === 'ENOENT') return null;
      throw toStoreError(error, STATE_FILE, this.path);
    });
    if (text === null || text === this.seen) return;
    const found = this.parse(text);
    this.seen = text;
    if (found === null) return;
    const objection = await this.objection(found);
    if (objection !== null) {
      this.context.logger.warn(
        { file: this.path, state: found },
        `The trainer's state is not taken: ${objection}`,
      );
      return;
    }
    await this.take(found);
  }

  private parse(text: string): TrainerState | null {
    const { data } = stateFileSchema.safeParse(jsonOf(text));
    if (data === undefined) {
      // Said once, however many forms the damage takes: a trainer that writes in place is seen half-way often.
      if (!this.broken)
        this.context.logger.warn(
          { file: this.path },
          `${this.path} is not read until it is whole: wanted are {"policy_version", "consumed"} and, if need be, "model" and "base_url"`,
        );
      this.broken = true;
      return null;
    }
    this.broken = false;
    return {
      schemaVersion: 1,
      policyVersion: String(data.policy_version),
      model: data.model ?? null,
      baseUrl: data.base_url ?? null,
      consumed: data.consumed,
      at: this.context.now(),
    };
  }

  private async objection({ policyVersion, consumed }: TrainerState): Promise<string | null> {
    const before = this.state?.consumed ?? 0;
    if (consumed < before) return `it has trained ${consumed} batches, and had trained ${before}`;
    if (consumed > this.written())
      return `it has trained ${consumed} batches, and there are ${this.written()}`;
    if (!this.isNew(policyVersion)) return null;
    const lag = await this.context.policies.lagOf(policyVersion);
    return lag === null || lag === 0 ? null : `policy version ${policyVersion} was followed by ${lag} others`;
  }

  private isNew(version: string): boolean {
    return version !== this.state?.policyVersion;
  }

  private async take(state: TrainerState): Promise<void> {
    const { checkFence, policies, store, run } = this.context;
    await checkFence();
    const { policyVersion: version, model, baseUrl } = state;
    // What it leaves out stays as it is.
    const sampledFrom = { ...(model === null ? {} : { model }), ...(baseUrl === null ? {} : { baseUrl }) };
    if (this.isNew(version)) await policies.tell({ version, source: 'trainer', ...sampledFrom });
    await writeRecord(store, trainerStateSchema, stateKey(run.runId), state);
    this.state = state;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
