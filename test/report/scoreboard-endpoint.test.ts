import { describe, expect, it } from 'vitest';
import type { EndpointView } from '../../src/core/endpoint/messages.js';
import type { RunDocument } from '../../src/records/summary.js';
import { endpointLines } from '../../src/report/scoreboard-endpoint.js';

const plain = (_: string, text: string): string => text;
const VIEW: EndpointView = {
  baseUrl: 'https://api.example/v1',
  processes: 3,
  concurrency: 5,
  inFlight: 4,
  waiting: 20,
  requestsPerMinute: 58.2,
  tokensPerMinute: null,
  requestsLastMinute: 57,
  tokensLastMinute: 12_345,
  coolingDownUntil: null,
  downSince: null,
  refusedShare: 0.021,
  at: 1_000_000,
};
const linesOf = (endpoint?: Partial<EndpointView>) =>
  endpointLines((endpoint ? { endpoint: { ...VIEW, ...endpoint } } : {}) as RunDocument, plain);

describe('the endpoint of an open run', () => {
  it('is shown with what it bears, what is asked of it and what it refuses', () => {
    expect(linesOf({})).toEqual([
      'endpoint  https://api.example/v1',
      '          4 calls in flight of 5 at once, 20 waiting · 3 workers',
      '          57 of 58 requests/min · 12.3 k tokens/min',
      '          2.1 % of answers refused (429)',
    ]);
  });

  it('says when it is down, or has asked to wait', () => {
    expect(linesOf({ downSince: 1_000_000 - 90_000 }).at(-1)).toContain('down for 1 min 30 s');
    expect(linesOf({ coolingDownUntil: 1_012_000 }).at(-1)).toContain('asked to wait: 12 s left');
  });

  it('is not shown where nobody knows of it, and never brings control characters along', () => {
    expect(linesOf()).toEqual([]);
    expect(linesOf({ baseUrl: 'http://x/\u001b[31m' })[0]).not.toContain('\u001b');
  });
});
