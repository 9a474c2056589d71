import { groupAt } from '../../../src/core/group/group-plan.js';
import type { GroupKey } from '../../../src/core/ids.js';
import { taskSchema } from '../../../src/core/rollout/task.schema.js';
import { groupsPerShift } from '../../../src/core/run/partitioning.js';
import type { RunConfig } from '../../../src/core/run/run-config.schema.js';
import {
  type ServeConfig,
  type SinkName,
  serveConfigSchema,
} from '../../../src/core/run/serve-config.schema.js';
import { closeGroup } from '../../../src/rollout/books/group-book.js';
import { endServing, openShift } from '../../../src/rollout/books/serve-book.js';
import { putBlob } from '../../../src/store/blobs.js';
import { keys } from '../../../src/store/keys.js';
import { PolicyLog } from '../../../src/store/policy-log.js';
import { putRecordIfAbsent } from '../../../src/store/records/records.js';
import { planSchema, type RunRecord, runRecordSchema } from '../../../src/store/records/records.schema.js';
import type { Served } from '../../../src/store/records/serve.schema.js';
import { readPlan, readRun } from '../../../src/store/runs.js';
import type { ArtifactStore } from '../../../src/store/store.js';
import { answerTest, inlineTask } from '../../support/inline-task.js';
import { MODEL_RUN } from '../../support/model-run.js';
import { modelOf, response, rolloutDeps } from '../../support/rollout-deps.js';
import { RUN_CONFIG } from '../../support/run-config-defaults.js';
import { madeTurns, type TurnsOptions } from './made-turns.js';
import { type MadeRollout, sealRollout } from './sealed-rollout.js';
import { type Executor, type ExecutorOptions, executorOf } from './sink-executor.js';

export interface ServeRunOptions {
  runId?: string;
  /** Tasks `t0`, `t1`, … */
  tasks?: number;
  groupSize?: number;
  /** Null = endless. */
  groups?: number | null;
  serve?: Partial<ServeConfig>;
  config?: Partial<RunConfig>;
}

export interface GroupOptions extends TurnsOptions {
  /** One per member, null = an infrastructure failure; by default 1, 0, 1, 0, … */
  rewards?: readonly (number | null)[];
  /** Instead of made turns, by member. */
  turnsOf?: (member: number) => MadeRollout['turns'];
  /** Other turns for some members. */
  member?: (member: number) => TurnsOptions;
}

/**
 * A run of mode `serve` in a store, without Temporal: rollouts are put as executors leave them and are ended, closed
 * and fed by the code of the worker.
 */
export class ServeRun {
  private number = 0;
  private shifts = 0;

  private constructor(
    readonly store: ArtifactStore,
    readonly run: RunRecord,
    readonly taskIds: readonly string[],
  ) {}

  static async plan(store: ArtifactStore, options: ServeRunOptions = {}): Promise<ServeRun> {
    const { runId = 'run', tasks = 2, groupSize = 4, groups = null } = options;
    const taskIds = Array.from({ length: tasks }, (_, i) => `t${i}`);
    for (const taskId of taskIds) {
      const { task, blobs } = await inlineTask({ taskId, test: answerTest('42') });
      for (const load of blobs.values()) await putBlob(store, await load());
      await putRecordIfAbsent(store, taskSchema, keys.task(runId, taskId), task);
    }
    await putRecordIfAbsent(store, planSchema, keys.plan(runId), {
      schemaVersion: 1,
      tasks: taskIds.map((taskId) => ({ taskId, samples: 0 })),
    });
    await putRecordIfAbsent(store, runRecordSchema, keys.run(runId), {
      schemaVersion: 1,
      runId,
      mode: 'serve',
      environment: { name: 'test', source: '/nowhere' },
      config: {
        ...{ ...RUN_CONFIG, ...MODEL_RUN, groupSize, groups, tokenApi: 'chat', seed: 1 },
        ...options.config,
        serve: serveConfigSchema.parse({ ...NO_SINKS, ...options.serve }),
      },
      createdAt: Date.now(),
      longrunVersion: '0.0.0',
    });
    return new ServeRun(store, await readRun(store, runId), taskIds);
  }

  /** Groups that were closed by `close`. */
  get closed(): number {
    return this.number;
  }

  /** Closes the next group of the run's sequence: its rollouts end, its record is put, the feed has it. */
  async close(options: GroupOptions = {}): Promise<GroupKey> {
    return await this.closeNumber(this.number++, options);
  }

  /** The next `count` groups, one after the other. */
  async closeMany(count: number, options: GroupOptions = {}): Promise<GroupKey[]> {
    const closed: GroupKey[] = [];
    for (let i = 0; i < count; i++) closed.push(await this.close(options));
    return closed;
  }

  /** The group with this number, for closing out of order. */
  async closeNumber(number: number, options: GroupOptions = {}): Promise<GroupKey> {
    const { runId, config } = this.run;
    const size = config.groupSize ?? 1;
    const group = groupAt(this.taskIds, number);
    await this.openShiftOf(number);
    await Promise.all(
      Array.from({ length: size }, async (_, member) => {
        const { rewards, turnsOf, member: ofMember, ...turns } = options;
        const reward = rewards === undefined ? (member + 1) % 2 : (rewards[member] ?? null);
        const made = madeTurns(number * size + member, { ...turns, ...ofMember?.(member) });
        const rollout = { runId, taskId: group.taskId, sample: group.index * size + member };
        await sealRollout(this.store, rollout, { reward, turns: turnsOf?.(member) ?? made });
      }),
    );
    await closeGroup(this.deps, { runId, ...group, whole: true });
    return { runId, ...group };
  }

  /** Says that nothing more will be started, and that all has closed. */
  end(reason: Served['reason'] = 'groups'): Promise<void> {
    return endServing(this.deps, this.run.runId, reason);
  }

  /** The versions of its policy, as any process tells and reads them. */
  get policies(): PolicyLog {
    return new PolicyLog(this.store, this.run.runId, Date.now);
  }

  /** What the worker would give an executor of a sink of this run; closed with the test. */
  executor(sink: SinkName, options?: ExecutorOptions): Promise<Executor> {
    return executorOf(this.store, this.run, sink, options);
  }

  private get deps() {
    return rolloutDeps({ store: this.store, model: modelOf(() => response({})) });
  }

  private async openShiftOf(number: number): Promise<void> {
    const { config, runId } = this.run;
    const perShift = groupsPerShift(this.taskIds, config.groupSize ?? 1, config.serve?.shiftRollouts ?? 1);
    const plan = await readPlan(this.store, runId);
    for (; this.shifts * perShift <= number; this.shifts++)
      await openShift(this.deps, this.run, plan, this.shifts);
  }
}

const NO_SINKS = { atropos: null, listen: null, tinker: null, jsonl: null, hostId: 'here' };
