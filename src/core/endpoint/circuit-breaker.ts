import { SECOND_MS } from '../time.js';

/** Survives continue-as-new. Epoch milliseconds of the keeper's clock. */
export interface BreakerState {
  /** Failures of all processes without an answer in between. */
  failures: number;
  firstFailureAt: number;
  downSince: number | null;
  nextProbeAt: number;
}

export interface BreakerTuning {
  failures: number;
  /** They have to go on for so long: one moment in which many calls fail is no outage. */
  forMs: number;
  /** Between probes, growing from the first to the longest. */
  probeMs: number;
  longestProbeMs: number;
}

export const BREAKER: BreakerTuning = {
  failures: 5,
  forMs: 2 * SECOND_MS,
  probeMs: 2 * SECOND_MS,
  longestProbeMs: 20 * SECOND_MS,
};

export const closedBreaker = (): BreakerState => ({
  failures: 0,
  firstFailureAt: 0,
  downSince: null,
  nextProbeAt: 0,
});

/** Whether an endpoint is down: nobody gets an answer. Then single calls try it until one is answered. */
export class CircuitBreaker {
  constructor(
    readonly state: BreakerState,
    private readonly tuning: BreakerTuning = BREAKER,
  ) {}

  get downSince(): number | null {
    return this.state.downSince;
  }

  answered(): void {
    Object.assign(this.state, closedBreaker());
  }

  failed(calls: number, now: number): void {
    const { state, tuning } = this;
    if (state.failures === 0) state.firstFailureAt = now;
    state.failures += calls;
    const lasted = now - state.firstFailureAt >= tuning.forMs;
    if (state.downSince === null && state.failures >= tuning.failures && lasted) state.downSince = now;
    if (state.downSince === null) return;
    const grown = (now - state.downSince) / 4;
    state.nextProbeAt = now + Math.min(tuning.longestProbeMs, Math.max(tuning.probeMs, grown));
  }
}
