import { randomUUID } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { groupAt, groupIndexOf, sequenceNumbers } from '../../../src/core/group/group-plan.js';
import { runWorkflowId } from '../../../src/core/ids.js';
import { MINUTE_MS } from '../../../src/core/time.js';
import { hostIdentity } from '../../../src/machine/host-identity.js';
import type { Policy, PolicyServer } from '../../../src/model/policy-server/index.js';
import { TinkerLedger } from '../../../src/sinks/tinker/ledger.js';
import { readGroup } from '../../../src/store/groups.js';
import { startChaosWorker } from '../../chaos/support/chaos-worker.js';
import type { Child } from '../../support/child.js';
import { answerTest, inlineTask } from '../../support/inline-task.js';
import { LongrunHost } from '../../support/longrun-host.js';
import { startPolicyServer } from '../../support/policy-server.js';
import { serveConfig } from '../../support/serve-config.js';
import { until } from '../../support/until.js';
import { HeldAnswers } from './held-answers.js';
import type { Message } from './run-histories.js';

export const RUN = 'weeks';
const TASKS = ['one', 'two', 'three'];
export const GROUP_SIZE = 2;
export const GROUPS = 21;
/** A shift has one group, so a history opens the groups from a multiple of this to the next. */
export const SHIFTS_PER_HISTORY = 7;
export const BATCH_GROUPS = 3;
export const CONCURRENCY = 4;
/** While it is held its worker dies, is asked to stop, or the run waits for it to continue as new or to end. */
export const HELD = { killed: 2, border: 6, stopped: 9, nextBorder: 13, last: 20 } as const;

const SEED = 1;
/** Generous: nothing here is to depend on how fast the machine is. */
const PATIENCE_MS = 5 * MINUTE_MS;
const MOST_MESSAGES = 8;
const BETWEEN_MESSAGES_MS = 150;
/** As `longrun worker` is served, signals included. */
const WORKER = new URL('../../chaos/support/serving.child.ts', import.meta.url);

export const groupKey = (n: number) => ({ runId: RUN, ...groupAt(TASKS, n) });

/**
 * A run that serves two sinks through many shifts, whose workers die and are replaced, and which is told things
 * whenever it is about to continue as new. Members of some groups are held back in the middle of their work, so that
 * all of that happens with rollouts in flight, however fast the machine is.
 */
export class EventfulServe {
  /** What it was told, in order. */
  readonly told: Message[] = [];
  private readonly deadline = Date.now() + PATIENCE_MS;
  private worker: Child | null = null;
  private concurrency = CONCURRENCY;

  private constructor(
    readonly host: LongrunHost,
    readonly model: PolicyServer,
    private readonly held: HeldAnswers,
    private readonly folder: string,
  ) {}

  static async start(): Promise<EventfulServe> {
    const held = new HeldAnswers(Object.values(HELD));
    const folder = await mkdtemp(join(tmpdir(), 'longrun-eventful-'));
    const model = await startPolicyServer({ policy: policyOf(held) });
    const made = new EventfulServe(await LongrunHost.start(), model, held, folder);
    await made.plan();
    return made;
  }

  get rows(): string {
    return join(this.folder, 'rows');
  }

  get batches(): string {
    return join(this.folder, 'batches');
  }

  /** Answers how it ended. */
  async play(): Promise<string> {
    await this.startWorker();
    await this.host.runs.start(RUN);
    await this.killWorker();
    await this.steerOverBorder(HELD.border);
    await this.stopWorker();
    await this.steerOverBorder(HELD.nextBorder);
    await this.finish();
    return this.host.runs.wait(RUN, AbortSignal.timeout(this.deadline - Date.now()));
  }

  async end(): Promise<void> {
    this.held.letAllGo();
    await this.worker?.kill();
    await this.host.stop();
    await this.model.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async plan(): Promise<void> {
    const { host, model } = this;
    const tasks = TASKS.map((taskId) =>
      inlineTask({ taskId, test: answerTest('42'), step: { agentTimeoutMs: 10 * MINUTE_MS } }),
    );
    const serve = serveConfig({
      jsonl: this.rows,
      tinker: this.batches,
      hostId: await hostIdentity(host.stateDir, randomUUID),
      shiftRollouts: GROUP_SIZE,
      shiftsPerHistory: SHIFTS_PER_HISTORY,
      batchGroups: BATCH_GROUPS,
    });
    await host.plan(RUN, await Promise.all(tasks), {
      ...{ agent: 'tool-calling', model: 'demo', baseUrl: model.baseUrl, tokenApi: 'chat', seed: SEED },
      ...{ groupSize: GROUP_SIZE, concurrency: CONCURRENCY, maxAttempts: 6, modelTimeoutMs: 10 * MINUTE_MS },
      serve,
    });
  }

  /** With a rollout in flight of a shift which later ones have come and gone beside; and once more with the next worker. */
  private async killWorker(): Promise<void> {
    const n = HELD.killed;
    await this.inFlight(n, n + 2);
    await this.worker?.kill('SIGKILL');
    await this.resize();
    await this.startWorker();
    await this.holds(() => this.held.calls(n) > 1);
    await this.closed(n + 3);
    this.held.letGo(n);
  }

  /** In order: the call in the air is answered meanwhile. */
  private async stopWorker(): Promise<void> {
    const n = HELD.stopped;
    await this.inFlight(n, n + 2);
    this.worker?.process.kill('SIGTERM');
    this.held.letGo(n);
    const code = await this.worker?.ended;
    if (code !== 0) throw new Error(`the worker was asked to stop and ended with ${code}`);
    await this.resize();
    await this.startWorker();
  }

  /** Tells it things while only this group keeps it from continuing as new, while it does, and right after. */
  private async steerOverBorder(n: number): Promise<void> {
    const { runs } = this.host;
    const before = await this.historyId();
    await this.inFlight(n, n - 1);
    await this.train(Math.floor(n / BATCH_GROUPS));
    await this.resize();
    await this.tell('allowance', ['jsonl', 1_000_000 + n], () => runs.allow(RUN, 'jsonl', 1_000_000 + n));
    this.held.letGo(n);
    await this.resizeUntil(() => this.isClosed(n));
    // No sooner: a rollout that is paused would keep the run from continuing.
    await this.tell('pause', ['person'], () => runs.pause(RUN));
    await this.resizeUntil(async () => (await this.historyId()) !== before);
    await this.holds(async () => (await runs.progress(RUN))?.status === 'paused');
    await this.tell('resume', [], () => runs.resume(RUN));
  }

  /** At the end of a history, too: what comes after it has nothing left to start. */
  private async finish(): Promise<void> {
    await this.inFlight(HELD.last, HELD.last - 1);
    await this.resize();
    await this.tell('finish', [], () => this.host.runs.finish(RUN));
    this.held.letGo(HELD.last);
  }

  /** A member of group `n` waits for its model, and all other groups up to `last` have closed. */
  private async inFlight(n: number, last: number): Promise<void> {
    await this.holds(() => this.held.calls(n) > 0);
    for (let other = 0; other <= last; other++) if (other !== n) await this.closed(other);
    if (await this.isClosed(n)) throw new Error(`group ${n} is closed, and should be in flight`);
  }

  private closed(n: number): Promise<void> {
    return this.holds(() => this.isClosed(n));
  }

  private async isClosed(n: number): Promise<boolean> {
    return (await readGroup(this.host.store, groupKey(n))) !== null;
  }

  /** The trainer says that it has trained so many batches, once they are there, and has new weights. */
  private async train(batches: number): Promise<void> {
    const { store } = this.host;
    await this.holds(async () => (await TinkerLedger.open(store, RUN)).batches.length >= batches);
    const state = { policy_version: `after-${batches}`, consumed: batches };
    const path = join(this.batches, 'state.json');
    await writeFile(`${path}.new`, JSON.stringify(state));
    await rename(`${path}.new`, path);
  }

  private async tell(name: string, args: unknown[], send: () => Promise<void>): Promise<void> {
    this.told.push({ name, args });
    await send();
  }

  /** Never the same twice. */
  private async resize(): Promise<void> {
    const to = ++this.concurrency;
    await this.tell('concurrency', [to], () => this.host.runs.setConcurrency(RUN, to));
  }

  /** A few, not without end: a workflow that is told things all the time cannot continue as new. */
  private async resizeUntil(condition: () => Promise<boolean>): Promise<void> {
    for (let n = 0; n < MOST_MESSAGES && !(await condition()); n++) {
      await this.resize();
      await sleep(BETWEEN_MESSAGES_MS);
    }
    await this.holds(condition);
  }

  private async historyId(): Promise<string> {
    return (await this.host.client.workflow.getHandle(runWorkflowId('serve', RUN)).describe()).runId;
  }

  private async holds(condition: () => boolean | Promise<boolean>): Promise<void> {
    await until(
      async () => {
        const { exitCode = null, signalCode = null } = this.worker?.process ?? {};
        const ended = exitCode ?? signalCode;
        if (ended !== null) throw new Error(`the worker ended with ${ended}`);
        return await condition();
      },
      { limitMs: this.deadline - Date.now(), what: condition.toString() },
    );
  }

  private async startWorker(): Promise<void> {
    const settings = { stateDir: this.host.stateDir, capacity: 16 };
    this.worker = await startChaosWorker(settings, this.folder, WORKER);
  }
}

/** The first member of each group is right, the second is not; the second of some is held in its second turn. */
function policyOf(held: HeldAnswers): Policy {
  return async ({ seed, task, turn }) => {
    const sample = seed - SEED;
    const isFirst = sample % GROUP_SIZE === 0;
    const command = `echo ${isFirst ? 42 : 41} > /app/answer`;
    if (turn === 0)
      return { content: 'I write it.', toolCalls: [{ name: 'terminal', arguments: { command } }] };
    const taskId = TASKS.find((name) => task.includes(`Do ${name}.`)) ?? '';
    const index = groupIndexOf(sample, GROUP_SIZE);
    if (!isFirst) await held.pass(sequenceNumbers(TASKS)({ taskId, index }));
    return { content: 'Done.' };
  };
}
