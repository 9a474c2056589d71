import { outcomeClass } from '../core/rollout/outcome.js';
import type { RolloutResult } from '../store/records/records.schema.js';
import type { ReplayMember, ReplayRequest } from '../store/records/replay.schema.js';

/** What is known of a rollout that may be replayed. */
export interface Candidate {
  taskId: string;
  sample: number;
  /** The result that counts now; null while the rollout is open. */
  result: RolloutResult | null;
  /** Recorded turns of its attempt whose commands all have a result. */
  completeTurns: number;
  /** Whether the agent's part ended by the agent's own doing in every step that was reached. */
  agentEnded: boolean;
}

export interface LeftOut {
  taskId: string;
  sample: number;
  reason: string;
}

export interface Selection {
  members: ReplayMember[];
  leftOut: LeftOut[];
}

/**
 * The new attempts that a request makes of the rollouts that it names, and which of those it leaves
 * alone and why. Scored outcomes are taken only where a rollout is named, or sealed ones are asked for.
 */
export function selectMembers(request: ReplayRequest, candidates: readonly Candidate[]): Selection {
  const selection: Selection = { members: [], leftOut: [] };
  for (const candidate of candidates) {
    const { taskId, sample, result } = candidate;
    const reason = reasonAgainst(request, candidate);
    if (reason !== null || result === null) {
      selection.leftOut.push({ taskId, sample, reason: reason ?? 'it is still open' });
      continue;
    }
    const fromTurn = fromTurnOf(request, candidate);
    for (let nth = 1; nth <= request.times; nth++)
      selection.members.push({ taskId, sample, nth, sourceAttempt: result.attempt, fromTurn });
  }
  return selection;
}

function reasonAgainst(request: ReplayRequest, candidate: Candidate): string | null {
  const { result, completeTurns, agentEnded } = candidate;
  const { mode, fromTurn } = request;
  if (result === null) return 'it is still open';
  const sealed = outcomeClass(result.stopReason) === 'agent';
  const named = request.rollouts.length > 0;
  // A fork makes rollouts of its own: nothing that is sealed is touched.
  if (sealed && mode !== 'fork' && !named && !request.includeSealed)
    return `it is scored (${result.stopReason}); --include-sealed replays it all the same, beside its result`;
  if (mode === 'verify' && !agentEnded)
    return 'its agent did not come to an end, so there is no final state to verify: use --mode resume or rerun';
  if (fromTurn !== null && fromTurn > completeTurns)
    return `it has ${completeTurns === 1 ? '1 complete turn' : `${completeTurns} complete turns`}, so it cannot go on from turn ${fromTurn}`;
  if (mode === 'fork' && completeTurns === 0) return 'it has no complete turn to go on from';
  return null;
}

function fromTurnOf({ mode, fromTurn }: ReplayRequest, { completeTurns }: Candidate): number | null {
  if (mode === 'rerun') return null;
  return fromTurn ?? completeTurns;
}
