import type { EndpointReport } from '../../src/core/endpoint/messages.js';

/** The report of a process that has made no call so far, but for what is said. */
export const endpointReport = (hostId: string, over: Partial<EndpointReport> = {}): EndpointReport => ({
  hostId,
  process: 'p',
  nth: 1,
  inFlight: 0,
  waiting: 0,
  totals: { answered: 0, refused: 0, failed: 0 },
  answeredSentAgoMs: null,
  lastMinute: { calls: 0, tokens: 0 },
  heldBack: { byConcurrency: false, byPace: false },
  refusal: null,
  told: null,
  ...over,
});
