import { type Answer, after, breaksOff, refuses, type SeenCall, stalls } from '../../support/model-server.js';

export type EndpointTrouble = 'outage' | 'rate limit' | 'errors' | 'stalls' | 'cut streams';

const hangsUp: Answer = (response) => {
  response.destroy();
};

const TROUBLES: Record<EndpointTrouble, Answer> = {
  outage: hangsUp,
  'rate limit': refuses(429, 'too many requests', { headers: { 'retry-after': '2' } }),
  errors: refuses(500, 'the server had an error'),
  stalls,
  'cut streams': breaksOff,
};

/** How the model endpoint behaves now: every second request of a trouble fails, all of them in an outage. */
export class FlakyEndpoint {
  private readonly troubles = new Set<EndpointTrouble>();
  private asked = 0;

  begin(trouble: EndpointTrouble): void {
    this.troubles.add(trouble);
  }

  end(trouble: EndpointTrouble): void {
    this.troubles.delete(trouble);
  }

  answer(_call: SeenCall, usual: Answer): Answer {
    if (this.troubles.has('outage')) return TROUBLES.outage;
    this.asked += 1;
    const [trouble] = this.troubles;
    return trouble === undefined || this.asked % 2 === 0 ? usual : after(50, TROUBLES[trouble]);
  }
}
