import type { AttemptKey, RolloutKey } from '../../core/ids.js';
import { totalTokens } from '../../core/rollout/usage.js';
import { keys } from '../../store/keys.js';
import { readRecord } from '../../store/records/records.js';
import { callRecordSchema } from '../../store/records/records.schema.js';
import type { ArtifactStore } from '../../store/store.js';
import type { Mark } from './run-view.js';

/** Follows one open rollout in the store, reading each of its turns once. */
export class RolloutPhase {
  mark: Mark = 'starting';
  /** Of all attempts and steps seen so far. */
  turns = 0;
  tokens = 0;
  costUsd: number | null = null;
  private attempt = 0;
  private step = 0;
  private nextTurn = 0;

  constructor(
    private readonly store: ArtifactStore,
    private readonly rollout: RolloutKey,
  ) {}

  async poll(): Promise<void> {
    const attempt = newest(await this.store.children(keys.attempts(this.rollout)));
    if (attempt === 0) return;
    if (attempt !== this.attempt) this.enter(attempt, 0);
    const key: AttemptKey = { ...this.rollout, attempt };
    if (!(await this.store.children(keys.attempt(key))).includes('placement.json')) {
      this.mark = 'starting';
      return;
    }
    await this.readTurns(key);
    const step = newest(await this.store.children(`${keys.attempt(key)}/steps`));
    if (step !== this.step) {
      this.enter(attempt, step);
      await this.readTurns(key);
    }
    const ended = (await this.store.children(keys.step(key, step))).includes('agent-end.json');
    this.mark = ended ? 'verifying' : 'agent';
  }

  private enter(attempt: number, step: number): void {
    this.attempt = attempt;
    this.step = step;
    this.nextTurn = 0;
  }

  private async readTurns(key: AttemptKey): Promise<void> {
    for (;;) {
      const call = await readRecord(this.store, callRecordSchema, keys.call(key, this.step, this.nextTurn));
      if (call === null) return;
      this.nextTurn += 1;
      this.turns += 1;
      this.tokens += totalTokens(call.usage);
      if (call.costUsd !== null) this.costUsd = (this.costUsd ?? 0) + call.costUsd;
    }
  }
}

const newest = (names: readonly string[]): number =>
  Math.max(0, ...names.map(Number).filter(Number.isInteger));
