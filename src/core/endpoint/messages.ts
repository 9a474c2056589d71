/** What an answer's headers say of the endpoint's limits; null where they say nothing. */
export interface ToldLimits {
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  remainingRequests: number | null;
  remainingTokens: number | null;
}

/** How a call ended, as far as the endpoint's limits are concerned. */
export type CallOutcome =
  | { kind: 'answered'; tokens: number; told: ToldLimits | null }
  /** 429. */
  | { kind: 'refused'; retryAfterMs: number | null; told: ToldLimits | null }
  /** 503 and 529: there, but with too much to do. */
  | { kind: 'overloaded'; retryAfterMs: number | null; told: ToldLimits | null }
  /** Other 5xx, no connection, no answer in time, an answer that was cut. */
  | { kind: 'failed' }
  /** Says nothing of the endpoint's state: another 4xx, cancelled, never sent. */
  | { kind: 'neutral' };

/** The newest refusal since the last report. Times are told as ages: clocks of hosts differ. */
export interface Refusal {
  /** Since the refused call was sent. */
  sentAgoMs: number;
  /** Left to wait now; null when the endpoint did not say. */
  retryInMs: number | null;
  /** Calls of this process in flight when it was sent, itself included. */
  inFlight: number;
  overloaded: boolean;
  told: ToldLimits | null;
}

/** What a worker process tells of its calls to an endpoint. Totals are of its life: told twice they count once. */
export interface EndpointReport {
  /** One live process per host: a newer one takes over the older one's share at once. */
  hostId: string;
  process: string;
  nth: number;
  inFlight: number;
  waiting: number;
  totals: CallTotals;
  /** How long ago the newest of the calls that were answered since the last report was sent. */
  answeredSentAgoMs: number | null;
  /** Begun in the last minute and not refused. */
  lastMinute: { calls: number; tokens: number };
  /** What held calls back since the last report. */
  heldBack: { byConcurrency: boolean; byPace: boolean };
  refusal: Refusal | null;
  told: ToldLimits | null;
}

export interface CallTotals {
  answered: number;
  refused: number;
  failed: number;
}

export const NO_CALLS: CallTotals = { answered: 0, refused: 0, failed: 0 };

/** What a worker process may do until it asks again. */
export interface EndpointShare {
  /** Calls in flight. */
  concurrency: number;
  /** Calls begun per minute; null = as many as go. */
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  /** No call before so many milliseconds have passed. */
  waitMs: number;
  /** For how long the endpoint has been down; null = it is up. Calls of the share are then probes. */
  downForMs: number | null;
  /** Ask again after so many answers, if calls were held back by concurrency; null = no hurry. */
  renewAfter: number | null;
  /** Ask again after so long at the latest. */
  renewMs: number;
  /** The share ends when it is not renewed for so long. */
  validMs: number;
}

/** An endpoint's state, for people. */
export interface EndpointView {
  baseUrl: string;
  /** Worker processes with a share. */
  processes: number;
  /** Calls that may be in flight, in all processes together. */
  concurrency: number;
  inFlight: number;
  waiting: number;
  /** Limits found or told; null = none met so far. */
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  /** Begun in the last minute and not refused. */
  requestsLastMinute: number;
  tokensLastMinute: number;
  /** Epoch milliseconds. */
  coolingDownUntil: number | null;
  downSince: number | null;
  /** Of all answers since the endpoint was first used; null before the first. */
  refusedShare: number | null;
  at: number;
}

/** What an endpoint is told apart by: the hash is of its address and the name of its key's variable. */
export interface EndpointName {
  hash: string;
  /** Without user, password and query. */
  baseUrl: string;
}

export const endpointWorkflowId = ({ hash }: Pick<EndpointName, 'hash'>): string => `endpoint/${hash}`;
