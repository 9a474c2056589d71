import { type RolloutKey, rolloutId } from '../../core/ids.js';
import { totalTokens } from '../../core/rollout/usage.js';
import { SECOND_MS } from '../../core/time.js';
import { serveLines } from '../../report/serve-lines.js';
import { keys } from '../../store/keys.js';
import { mapBounded } from '../../store/map-bounded.js';
import type { Plan, RolloutResult, RunRecord } from '../../store/records/records.schema.js';
import { readPlan, readResult } from '../../store/runs.js';
import type { ArtifactStore } from '../../store/store.js';
import { RolloutPhase } from './rollout-phase.js';
import { RunRates } from './run-rates.js';
import { countDone, countMarks, isDone, MARKS, type Mark, markOf, type RunView } from './run-view.js';
import { readServeStatus } from './serve-status.js';
import { TurnTaking } from './turn-taking.js';

/** Each phase costs a few look-ups, so that rollouts in flight take turns: so many of them in a poll. */
const PHASES_PER_POLL = 25;
/** So many tasks with more to start are listed in a poll: of a large run almost every task may be one. */
const TASKS_PER_POLL = 200;

interface Totals {
  rollouts: number;
  turns: number;
  tokens: number;
  costUsd: number | null;
}

/** Of a run that goes on for weeks, so many finished rollouts of a task are kept to be shown. */
const FINISHED_SHOWN = 50;
const SERVING_EVERY_MS = 3 * SECOND_MS;

interface TrackedTask {
  taskId: string;
  /** Some sample has been seen to start. */
  begun: boolean;
  /** Samples that are shown no more: those before the first of `samples`. */
  folded: number;
  samples: Tracked[];
}

interface Tracked {
  key: RolloutKey;
  mark: Mark;
  phase: RolloutPhase | null;
}

/**
 * Follows a run in its store, incrementally: a poll looks at rollouts that have started and have no
 * result yet, so its cost is bounded by what is in flight and does not grow with the size of the run.
 */
export class RunTracker {
  private readonly open = new Map<string, Tracked>();
  private readonly tasks: TrackedTask[];
  private readonly folded: Record<Mark, number> = countMarks([]);
  private serving: { at: number; lines: string[] } = { at: Number.NEGATIVE_INFINITY, lines: [] };
  private readonly startedAt: number;
  private readonly rates = new RunRates();
  private readonly sealed: Totals = { rollouts: 0, turns: 0, tokens: 0, costUsd: null };
  private readonly phaseTurns = new TurnTaking();
  private readonly taskTurns = new TurnTaking();
  private polled = false;
  private trouble: string | null = null;

  constructor(
    private readonly store: ArtifactStore,
    private readonly run: RunRecord,
    plan: Plan,
    private readonly now: () => number,
  ) {
    this.startedAt = now();
    this.tasks = plan.tasks.map(({ taskId }) => ({ taskId, begun: false, folded: 0, samples: [] }));
    this.grow(plan);
  }

  /** Rollouts of the run. */
  get total(): number {
    return this.tasks.reduce((sum, { folded, samples }) => sum + folded + samples.length, 0);
  }

  /**
   * Looks at the store once; answers the results that are new since the last look. Of a large run a look may miss
   * some that the next ones find, unless it is to see `all`, as the last has to; the first does by itself.
   */
  async poll(all = false): Promise<RolloutResult[]> {
    if (this.run.mode === 'serve') await this.pollServing();
    await this.findStarted(all || !this.polled ? this.tasks.length : TASKS_PER_POLL);
    this.polled = true;
    const found: RolloutResult[] = [];
    const started = [...this.open.values()];
    for await (const { item, result } of mapBounded(started, ({ key }) => readResult(this.store, key))) {
      if (result !== null) found.push(this.seal(item, result));
    }
    const inFlight = this.phaseTurns.next([...this.open.values()], PHASES_PER_POLL);
    for await (const _ of mapBounded(inFlight, (tracked) => this.pollPhase(tracked))) {
      // Each look-up updates its own rollout.
    }
    this.rates.observe(this.now(), this.totals().turns, this.sealed.rollouts);
    return found;
  }

  view(status: RunView['status'], pauseNote: string | null = null): RunView {
    const tasks = this.tasks.map(({ taskId, samples }) => ({
      taskId,
      marks: samples.map(({ mark }) => mark),
    }));
    const counts = countMarks(tasks);
    for (const mark of MARKS) counts[mark] += this.folded[mark];
    const done = countDone(counts);
    const { config, environment } = this.run;
    const isEndless = config.serve !== null && config.groups === null;
    const now = this.now();
    const totals = this.totals();
    return {
      runId: this.run.runId,
      title: [environment.name, config.model ?? `${config.agent} agent`].join(' · '),
      status,
      pauseNote,
      elapsedMs: now - this.startedAt,
      tasks,
      counts,
      total: this.total,
      done,
      turns: totals.turns,
      turnsPerSecond: status === 'running' ? this.rates.turnsPerSecond : null,
      tokens: totals.tokens,
      costUsd: totals.costUsd,
      msLeft: status === 'running' && !isEndless ? this.rates.msLeft(now, done, this.total) : null,
      trouble: this.trouble,
      serving: this.serving.lines,
    };
  }

  /** Rollouts that were not planned the last time. */
  private grow(plan: Plan): void {
    for (const [i, { taskId, samples }] of plan.tasks.entries()) {
      const task = this.tasks[i] as TrackedTask;
      for (let sample = task.folded + task.samples.length; sample < samples; sample++)
        task.samples.push({
          key: { runId: this.run.runId, taskId, sample },
          mark: 'waiting',
          phase: null,
        });
    }
  }

  private async pollServing(): Promise<void> {
    this.grow(await readPlan(this.store, this.run.runId));
    for (const task of this.tasks) this.fold(task);
    if (this.now() - this.serving.at < SERVING_EVERY_MS) return;
    const status = await readServeStatus(this.store, this.run);
    this.serving = { at: this.now(), lines: status === null ? [] : serveLines(status) };
  }

  private fold(task: TrackedTask): void {
    const open = task.samples.findIndex(({ mark }) => !isDone(mark));
    const done = open < 0 ? task.samples.length : open;
    for (const { mark } of task.samples.splice(0, Math.max(0, done - FINISHED_SHOWN))) {
      this.folded[mark] += 1;
      task.folded += 1;
    }
  }

  private async findStarted(most: number): Promise<void> {
    await this.findBegun();
    const partly = this.tasks.filter(
      ({ begun, samples }) => begun && samples.some(({ mark }) => mark === 'waiting'),
    );
    const list = ({ taskId }: { taskId: string }) =>
      this.store.children(`${keys.rollouts(this.run.runId)}/${taskId}`);
    for await (const { item, result } of mapBounded(this.taskTurns.next(partly, most), list)) {
      const names = new Set(result);
      for (const tracked of item.samples) {
        if (tracked.mark !== 'waiting' || !names.has(String(tracked.key.sample))) continue;
        tracked.mark = 'starting';
        this.open.set(rolloutId(tracked.key), tracked);
      }
    }
  }

  private async findBegun(): Promise<void> {
    if (this.tasks.every(({ begun }) => begun)) return;
    const begun = new Set(await this.store.children(keys.rollouts(this.run.runId)));
    for (const task of this.tasks) task.begun ||= begun.has(task.taskId);
  }

  private async pollPhase(tracked: Tracked): Promise<void> {
    tracked.phase ??= new RolloutPhase(this.store, tracked.key);
    await tracked.phase.poll();
    tracked.mark = tracked.phase.mark;
  }

  private seal(tracked: Tracked, result: RolloutResult): RolloutResult {
    tracked.mark = markOf(result, this.run.config.passThreshold);
    tracked.phase = null;
    this.open.delete(rolloutId(tracked.key));
    this.sealed.rollouts += 1;
    add(this.sealed, result.turns, totalTokens(result.usage), result.costUsd);
    if (tracked.mark === 'infrastructure') {
      this.trouble = `${result.taskId}/${result.sample}: ${result.failure?.message ?? result.stopReason}`;
    }
    return result;
  }

  private totals(): Totals {
    const totals = { ...this.sealed };
    for (const { phase } of this.open.values())
      if (phase) add(totals, phase.turns, phase.tokens, phase.costUsd);
    return totals;
  }
}

function add(totals: Totals, turns: number, tokens: number, costUsd: number | null): void {
  totals.turns += turns;
  totals.tokens += tokens;
  if (costUsd !== null) totals.costUsd = (totals.costUsd ?? 0) + costUsd;
}
