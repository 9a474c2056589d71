import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ZodError } from 'zod';
import { refusedEndpoint } from '../../model/policy-origins.js';
import { errnoOf, toStoreError } from '../../store/filesystem/store-error.js';
import { keys } from '../../store/keys.js';
import { readRecord, writeRecord } from '../../store/records/records.js';
import type { ArtifactStore } from '../../store/store.js';
import type { SinkContext } from '../sink.js';
import {
  type TrainerState,
  toldPolicySchema,
  toldProgressSchema,
  trainerStateSchema,
} from './trainer-state.schema.js';

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
  private damaged = false;
  /** What was wrong with it then. */
  private objection = '';

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

  /**
   * Looks at the file, and tells the run of new weights. The weights and the progress are taken each by itself; what
   * is wrong with the file is said once.
   */
  async look(): Promise<void> {
    const text = await readFile(this.path, 'utf8').catch((error: unknown) => {
      if (errnoOf(error) === 'ENOENT') return null;
      throw toStoreError(error, STATE_FILE, this.path);
    });
    if (text === null || text === this.seen) return;
    const document = jsonOf(text);
    const objections: string[] = [];
    const policy = await this.policyIn(document, objections);
    const consumed = this.consumedIn(document, objections);
    this.seen = text;
    if (policy === null && consumed === null && this.isDamaged(document)) return;
    this.object(objections);
    if (policy !== null || consumed !== null) await this.take(policy, consumed);
  }

  /** Said once, however many forms the damage takes: a trainer that writes in place is seen half-way often. */
  private isDamaged(document: unknown): boolean {
    const damaged = typeof document !== 'object' || document === null;
    if (damaged && !this.damaged)
      this.context.logger.warn(
        { file: this.path },
        `${this.path} is not read until it is whole: wanted are {"policy_version", "consumed"} and, if need be, "model" and "base_url"`,
      );
    this.damaged = damaged;
    return damaged;
  }

  private object(objections: readonly string[]): void {
    this.damaged = false;
    const objection = objections.join('; ');
    if (objection !== '' && objection !== this.objection)
      this.context.logger.warn({ file: this.path }, `Of the trainer's state this is not taken: ${objection}`);
    this.objection = objection;
  }

  private async policyIn(document: unknown, objections: string[]): Promise<ToldPolicy | null> {
    const { data, error } = toldPolicySchema.safeParse(document);
    if (data === undefined) {
      objections.push(wordsOf(error));
      return null;
    }
    const baseUrl = data.base_url ?? null;
    const refused = baseUrl === null ? null : refusedEndpoint(this.context.run.config, baseUrl);
    if (refused !== null) {
      objections.push(`base_url (${refused.why}; wanted: ${refused.accepted})`);
      return null;
    }
    const policyVersion = String(data.policy_version);
    const lag = this.isNew(policyVersion) ? await this.context.policies.lagOf(policyVersion) : null;
    if (lag === null || lag === 0) return { policyVersion, model: data.model ?? null, baseUrl };
    objections.push(`policy version ${policyVersion} was followed by ${lag} others`);
    return null;
  }

  private consumedIn(document: unknown, objections: string[]): number | null {
    const { data, error } = toldProgressSchema.safeParse(document);
    const before = this.state?.consumed ?? 0;
    if (data === undefined) objections.push(wordsOf(error));
    else if (data.consumed < before)
      objections.push(`it has trained ${data.consumed} batches, and had trained ${before}`);
    else if (data.consumed > this.written())
      objections.push(`it has trained ${data.consumed} batches, and there are ${this.written()}`);
    else return data.consumed;
    return null;
  }

  private isNew(version: string): boolean {
    return version !== this.state?.policyVersion;
  }

  private async take(policy: ToldPolicy | null, consumed: number | null): Promise<void> {
    const { checkFence, policies, store, run, now } = this.context;
    await checkFence();
    if (policy !== null && this.isNew(policy.policyVersion)) {
      const { policyVersion: version, model, baseUrl } = policy;
      // What it leaves out stays as it is.
      const sampledFrom = { ...(model === null ? {} : { model }), ...(baseUrl === null ? {} : { baseUrl }) };
      await policies.tell({ version, source: 'trainer', ...sampledFrom });
    }
    const state: TrainerState = {
      ...(this.state ?? NOTHING_TOLD),
      ...policy,
      ...(consumed === null ? {} : { consumed }),
      at: now(),
    };
    await writeRecord(store, trainerStateSchema, stateKey(run.runId), state);
    this.state = state;
  }
}

type ToldPolicy = Pick<TrainerState, 'model' | 'baseUrl'> & { policyVersion: string };

const NOTHING_TOLD: Omit<TrainerState, 'at'> = {
  ...{ schemaVersion: 1, policyVersion: null, model: null, baseUrl: null },
  consumed: 0,
};

/** The fields at fault and what is wanted there; their values may hold a secret. */
const wordsOf = (error: ZodError): string =>
  error.issues.map(({ path, message }) => `${path.join('.')} (wanted: ${message})`).join(', ');

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
