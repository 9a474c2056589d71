import { MINUTE_MS, SECOND_MS } from '../time.js';
import { type Failure, outcomeClass, type StopReason } from './outcome.js';

export const RETRIED_REASONS = [
  'llm_error',
  'provision_error',
  'sandbox_lost',
  'verifier_error',
  'verifier_timeout',
] as const satisfies StopReason[];
export type RetriedReason = (typeof RETRIED_REASONS)[number];

/** How often a rollout is tried that ends this way, and how long it waits before the next time. */
export interface RetryRule {
  /** Attempts that may end this way, the first included; the run's limit holds beside it. */
  attempts: number;
  firstDelayMs: number;
  longestDelayMs: number;
}

/**
 * A new attempt pays for the agent again, so what the next one is likely to meet as well is tried
 * less often: sandboxes are lost by chance, endpoints recover, tests that hang will hang again, and an
 * agent must not get a second go by hanging them.
 */
export const RETRY_RULES: Readonly<Record<RetriedReason, RetryRule>> = {
  provision_error: { attempts: 20, firstDelayMs: 2 * SECOND_MS, longestDelayMs: MINUTE_MS },
  sandbox_lost: { attempts: 20, firstDelayMs: SECOND_MS, longestDelayMs: 15 * SECOND_MS },
  llm_error: { attempts: 3, firstDelayMs: 10 * SECOND_MS, longestDelayMs: 5 * MINUTE_MS },
  verifier_error: { attempts: 2, firstDelayMs: 2 * SECOND_MS, longestDelayMs: MINUTE_MS },
  verifier_timeout: { attempts: 1, firstDelayMs: 5 * SECOND_MS, longestDelayMs: MINUTE_MS },
};

/** Attempts per stop reason where a run's settings say so. */
export type RetrySettings = Readonly<Partial<Record<RetriedReason, number>>>;

export interface EndedAttempt {
  stopReason: StopReason;
  failure: Failure | null;
}

/**
 * Milliseconds until a new attempt, or null when there is none. `ended` are the attempts so far, the
 * one that has just ended last; `random` is in [0, 1).
 */
export function nextAttemptDelay(
  ended: readonly EndedAttempt[],
  maxAttempts: number,
  settings: RetrySettings,
  random: () => number,
): number | null {
  const last = ended.at(-1);
  if (!last || outcomeClass(last.stopReason) !== 'infrastructure') return null;
  const reason = last.stopReason as RetriedReason;
  const rule = RETRY_RULES[reason];
  const alike = ended.filter(({ stopReason }) => stopReason === reason).length;
  const asked = settings[reason];
  // Tests that hang may be tried again where somebody asks for it; nothing else that cannot help is.
  const hopeless =
    last.failure?.retryable === false && !(reason === 'verifier_timeout' && asked !== undefined);
  if (hopeless || ended.length >= maxAttempts || alike >= (asked ?? rule.attempts)) return null;
  const ceiling = Math.min(rule.longestDelayMs, rule.firstDelayMs * 2 ** (alike - 1));
  // Half of it by chance: a hundred rollouts that one host lost do not come back in the same moment.
  return Math.round(ceiling / 2 + (random() * ceiling) / 2);
}
