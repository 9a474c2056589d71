import type { CallOutcome } from '../../core/endpoint/messages.js';

/** A call's permission. It counts as in flight until it has ended. */
export interface GatePass {
  /** Told once; later ones are ignored. `unsent`: the call was never made. */
  end(outcome: CallOutcome | 'unsent', completionTokens?: number): void;
}

/** Come back later: a slot of the worker must not be held meanwhile. */
export interface StayAway {
  retryInMs: number;
}

export interface CallSize {
  promptTokens: number;
  /** At most. */
  completionTokens: number;
}

/** Lets calls to one endpoint through as its limits allow. */
export interface ModelGate {
  /** Waits for a short while at most. `who` keeps its place among those that wait when it comes again. */
  enter(who: string, size: CallSize, stopping: AbortSignal): Promise<GatePass | StayAway>;
  /** How long to place no new sandbox, because the endpoint is down; null = it is up as far as is known. */
  holdsPlacements(): Promise<StayAway | null>;
}

/** Of endpoints without limits: models that are scripted in this process. */
export const OPEN_GATE: ModelGate = {
  enter: async () => ({ end: () => undefined }),
  holdsPlacements: async () => null,
};
