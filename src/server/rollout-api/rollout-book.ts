import { createHash } from 'node:crypto';
import { LongrunError } from '../../core/errors.js';
import { readClosedRun } from '../../records/write-summary.js';
import { writeRun } from '../../runs/write-run.js';
import { keys } from '../../store/keys.js';
import { putRecordIfAbsent, readRecord } from '../../store/records/records.js';
import { runRecordSchema } from '../../store/records/records.schema.js';
import { readRun } from '../../store/runs.js';
import { cancelOpen } from './cancel-requests.js';
import type { RolloutApiDeps } from './deps.js';
import type { OfferedEnvironments } from './offered-environments.js';
import { RefusedRequest } from './refused-request.js';
import { type RequestRecord, requestRecordSchema } from './request-record.schema.js';
import { requestRun, requestRunId } from './request-run.js';
import type { RolloutRequest } from './requests.schema.js';
import { digestOf, settleRequest } from './settle-request.js';

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The groups that were asked for: each a run of its own, known by its record before anything of it is started. */
export class RolloutBook {
  /** One launch of a group at a time. */
  private readonly launching = new Map<string, Promise<void>>();

  constructor(
    private readonly deps: RolloutApiDeps,
    private readonly environments: OfferedEnvironments,
  ) {}

  /**
   * The group of a request, started; the same one for the same id. Throws `already_exists` where the id belongs to
   * another request.
   */
  async request(asked: RolloutRequest, key: string | null): Promise<RequestRecord> {
    const id = this.idOf(asked, key);
    const record = (await this.read(id)) ?? (await this.put(id, asked));
    if (record.digest !== digestOf(asked))
      throw new LongrunError('already_exists', `Under the id ${id} another group was asked for.`, {
        hint: 'The same request under the same id is answered with the same group; a new one wants a new id.',
      });
    await this.ensureStarted(record);
    return record;
  }

  /** By the id it was given. Throws `not_found`. */
  async find(id: string): Promise<RequestRecord> {
    const record = ID.test(id) ? await this.read(id) : null;
    if (record !== null) return record;
    throw new LongrunError('not_found', `No group ${JSON.stringify(id)} was asked for.`, {
      hint: 'POST /v1/rollouts answers the id of a group.',
    });
  }

  /** A group that has ended stays as it is. */
  async cancel(record: RequestRecord): Promise<void> {
    await this.ensureStarted(record);
    await cancelOpen(this.deps, record.runId);
  }

  /** Carries a launch to its end that was cut off half-way, and a run on whose workflow was lost. */
  ensureStarted(record: RequestRecord): Promise<void> {
    const known = this.launching.get(record.id);
    if (known !== undefined) return known;
    const launch = this.launch(record).finally(() => this.launching.delete(record.id));
    this.launching.set(record.id, launch);
    return launch;
  }

  private read(id: string): Promise<RequestRecord | null> {
    const { store, run } = this.deps;
    return readRecord(store, requestRecordSchema, keys.request(run.runId, id));
  }

  private async put(id: string, asked: RolloutRequest): Promise<RequestRecord> {
    const { store, run } = this.deps;
    await this.refuseTaken(id);
    const serving = await readRun(store, run.runId);
    const settled = await settleRequest(this.deps, this.environments, serving, id, asked);
    const key = keys.request(run.runId, id);
    return (await putRecordIfAbsent(store, requestRecordSchema, key, settled)).value;
  }

  /** A run of that name may be somebody else's, which must be neither answered with nor cancelled. */
  private async refuseTaken(id: string): Promise<void> {
    const { store, run } = this.deps;
    const runId = requestRunId(run.runId, id);
    const known = await readRecord(store, runRecordSchema, keys.run(runId));
    if (known === null || known.requestedBy?.runId === run.runId) return;
    throw new LongrunError(
      'already_exists',
      `Run ${runId}, as which the group would be known, is another one.`,
      {
        hint: 'Ask for it under another id.',
      },
    );
  }

  private idOf({ id }: RolloutRequest, key: string | null): string {
    if (key === null) return id ?? this.deps.newId();
    if (id !== null)
      throw new RefusedRequest('there are an id and an Idempotency-Key; one is enough', 'id', 'null');
    return `k-${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
  }

  private async launch(record: RequestRecord): Promise<void> {
    const { store, runs } = this.deps;
    const { runId } = record;
    if ((await readClosedRun(store, runId)) !== null) return;
    if (!(await store.has(keys.plan(runId)))) await this.write(record);
    if ((await runs.progress(runId)) !== null) return;
    // Fences of earlier executors are in the store: only a new incarnation gets past them.
    const begun = (await store.children(keys.rollouts(runId))).length > 0;
    if (begun) await runs.recover(runId);
    else await runs.start(runId);
  }

  private async write(record: RequestRecord): Promise<void> {
    const { store, run } = this.deps;
    const offered = await this.environments.get(record.environment.name);
    // What the serving run is set to may have changed since: what was written counts.
    const known = await readRecord(store, runRecordSchema, keys.run(record.runId));
    const own = known ?? requestRun(await readRun(store, run.runId), record);
    await writeRun(store, own, [await offered.load(record.taskId)]);
  }
}
