import type { FailureKind } from './failure-plan.js';

/** One call as it was sampled. */
export interface LedgerEntry {
  api: 'chat' | 'completions' | 'generate';
  /** As the caller named the call, or null. */
  callId: string | null;
  sequenceId: string;
  policyVersion: string;
  model: string;
  seed: number;
  turn: number;
  temperature: number;
  promptTokenIds: readonly number[];
  tokenIds: readonly number[];
  logprobs: readonly number[];
  finishReason: string;
  /** Not delivered as it was sampled. */
  failure: FailureKind | null;
}

/** What the server was asked and what it sampled. */
export class Ledger {
  readonly entries: LedgerEntry[] = [];
  private readonly failures: Partial<Record<FailureKind, number>> = {};
  private requests = 0;
  private inFlight = 0;
  private mostInFlight = 0;

  begin(): () => void {
    this.requests++;
    this.inFlight++;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    let open = true;
    return () => {
      if (open) this.inFlight--;
      open = false;
    };
  }

  failed(kind: FailureKind): void {
    this.failures[kind] = (this.failures[kind] ?? 0) + 1;
  }

  sampled(entry: LedgerEntry): void {
    this.entries.push(entry);
  }

  /** `GET /stats` */
  stats() {
    const answered = this.entries.filter(({ failure }) => failure === null);
    const tokens = (of: (entry: LedgerEntry) => readonly number[]) =>
      answered.reduce((sum, entry) => sum + of(entry).length, 0);
    return {
      requests: this.requests,
      answered: answered.length,
      failures: this.failures,
      prompt_tokens: tokens(({ promptTokenIds }) => promptTokenIds),
      completion_tokens: tokens(({ tokenIds }) => tokenIds),
      in_flight: this.inFlight,
      most_in_flight: this.mostInFlight,
    };
  }

  /** `GET /ledger` */
  document() {
    return {
      calls: this.entries.map((entry) => ({
        api: entry.api,
        call_id: entry.callId,
        sequence_id: entry.sequenceId,
        policy_version: entry.policyVersion,
        model: entry.model,
        seed: entry.seed,
        turn: entry.turn,
        temperature: entry.temperature,
        prompt_token_ids: entry.promptTokenIds,
        token_ids: entry.tokenIds,
        logprobs: entry.logprobs,
        finish_reason: entry.finishReason,
        failure: entry.failure,
      })),
    };
  }
}
