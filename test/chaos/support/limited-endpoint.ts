import { type Answer, after, refuses, runs, type SeenCall } from '../../support/model-server.js';

const MINUTE_MS = 60_000;

export interface EndpointLimits {
  /** Calls under way at the same time. */
  atOnce: number;
  /** Calls in any minute. */
  perMinute: number;
  callMs: number;
}

/** A model endpoint that means its limits and says nothing of them but 429. Its model never finishes. */
export class LimitedEndpoint {
  readonly seen: { at: number; refused: boolean; seed: number | null }[] = [];
  private taken: number[] = [];
  private inFlight = 0;

  constructor(private readonly limits: EndpointLimits) {}

  answer({ seed }: SeenCall): Answer {
    const now = Date.now();
    this.taken = this.taken.filter((at) => at > now - MINUTE_MS);
    const { atOnce, perMinute, callMs } = this.limits;
    const refused = this.inFlight >= atOnce || this.taken.length >= perMinute;
    this.seen.push({ at: now, refused, seed });
    if (refused) return refuses(429, 'slow down');
    this.taken.push(now);
    this.inFlight += 1;
    const answer = after(callMs * (0.8 + 0.4 * Math.random()), runs('true'));
    return async (response) => {
      // A client that hangs up gives its place back as well.
      try {
        await answer(response);
      } finally {
        this.inFlight -= 1;
      }
    };
  }

  /** Answered and refused calls per 15 s since `begun`. */
  describe(begun: number): string {
    const spans = new Map<number, { answered: number; refused: number }>();
    for (const { at, refused } of this.seen) {
      const span = Math.floor((at - begun) / 15_000);
      const counts = spans.get(span) ?? { answered: 0, refused: 0 };
      counts[refused ? 'refused' : 'answered'] += 1;
      spans.set(span, counts);
    }
    return [...spans].map(([span, c]) => `${span * 15} s: ${c.answered}/${c.refused}`).join(', ');
  }
}
