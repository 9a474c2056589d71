import { type RolloutKey, rolloutId } from '../core/ids.js';
import { totalTokens } from '../core/usage.js';
import { keys } from '../store/keys.js';
import { mapBounded } from '../store/map-bounded.js';
import type { Plan, RolloutResult, RunRecord } from '../store/records.schema.js';
import { plannedRollouts, readResult } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';
import { RolloutPhase } from './rollout-phase.js';
import { RunRates } from './run-rates.js';
import { countDone, countMarks, type Mark, markOf, type RunView } from './run-view.js';

/** Phases are read for this many open rollouts at most: each costs a few look-ups per poll. */
const PHASES_MAX = 100;

interface Totals {
  rollouts: number;
  turns: number;
  tokens: number;
  costUsd: number | null;
}

interface Tracked {
  key: RolloutKey;
  mark: Mark;
  phase: RolloutPhase | null;
}

/**
 * Follows a run in its store, incrementally: a poll looks at rollouts that have started and have no
 * result yet, so its cost grows with what is in flight and not with the size of the run.
 */
export class RunTracker {
  private readonly open = new Map<string, Tracked>();
  private readonly tasks: { taskId: string; samples: Tracked[] }[];
  private readonly startedAt: number;
  private readonly rates = new RunRates();
  private readonly sealed: Totals = { rollouts: 0, turns: 0, tokens: 0, costUsd: null };
  private trouble: string | null = null;

  constructor(
    private readonly store: ArtifactStore,
    private readonly run: RunRecord,
    plan: Plan,
    private readonly now: () => number,
  ) {
    this.startedAt = now();
    const byTask = new Map(plan.tasks.map(({ taskId }) => [taskId, [] as Tracked[]]));
    for (const key of plannedRollouts(run.runId, plan)) {
      byTask.get(key.taskId)?.push({ key, mark: 'waiting', phase: null });
    }
    this.tasks = [...byTask].map(([taskId, samples]) => ({ taskId, samples }));
  }

  /** Rollouts of the run. */
  get total(): number {
    return this.tasks.reduce((sum, { samples }) => sum + samples.length, 0);
  }

  /** Looks at the store once; answers the results that are new since the last look. */
  async poll(): Promise<RolloutResult[]> {
    await this.findStarted();
    const found: RolloutResult[] = [];
    const started = [...this.open.values()];
    for await (const { item, result } of mapBounded(started, ({ key }) => readResult(this.store, key))) {
      if (result !== null) found.push(this.seal(item, result));
    }
    const inFlight = [...this.open.values()].slice(0, PHASES_MAX);
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
    const done = countDone(counts);
    const { config, environment } = this.run;
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
      msLeft: status === 'running' ? this.rates.msLeft(now, done, this.total) : null,
      trouble: this.trouble,
    };
  }

  private async findStarted(): Promise<void> {
    const startedTasks = new Set(await this.store.children(keys.rollouts(this.run.runId)));
    const partly = this.tasks.filter(
      ({ taskId, samples }) => startedTasks.has(taskId) && samples.some(({ mark }) => mark === 'waiting'),
    );
    const list = ({ taskId }: { taskId: string }) =>
      this.store.children(`${keys.rollouts(this.run.runId)}/${taskId}`);
    for await (const { item, result } of mapBounded(partly, list)) {
      const names = new Set(result);
      for (const tracked of item.samples) {
        if (tracked.mark !== 'waiting' || !names.has(String(tracked.key.sample))) continue;
        tracked.mark = 'starting';
        this.open.set(rolloutId(tracked.key), tracked);
      }
    }
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
