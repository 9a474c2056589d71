import type { RolloutDigest, RolloutInput } from '../run/workflow-messages.js';

export type RolloutPhase = 'placing' | 'agent' | 'verifying' | 'finalizing' | 'paused' | 'waiting' | 'done';

/** Where a rollout stands: its phase for people, its executor counter for the fence. */
export class RolloutProgress {
  phase: RolloutPhase = 'placing';
  attempt = 0;
  paused = false;
  /** Counts the times somebody said to go on: whoever waits for that looks again. */
  nudges = 0;
  turns = 0;
  private slice = 0;
  private result: RolloutDigest | null = null;

  constructor(private readonly input: RolloutInput) {}

  /** The next executor of this rollout: higher than every one before it. */
  nextExecutor(): { incarnation: number; slice: number } {
    this.slice += 1;
    return { incarnation: this.input.incarnation, slice: this.slice };
  }

  resume(): void {
    this.paused = false;
    this.nudges += 1;
  }

  get finished(): boolean {
    return this.result !== null;
  }

  finish(digest: RolloutDigest): void {
    this.result = digest;
    this.phase = 'done';
  }

  digest(): RolloutDigest {
    if (this.result === null) throw new Error('the rollout has no result yet');
    return this.result;
  }

  snapshot(): { phase: RolloutPhase; attempt: number; turns: number } {
    return { phase: this.paused ? 'paused' : this.phase, attempt: this.attempt, turns: this.turns };
  }
}
