import { LongrunError } from '../../core/errors.js';

/** Tells a person once that something does not answer, and once that it does again, however often it is asked. */
export class TroubleLine {
  private told: string | null = null;

  constructor(private readonly say: (line: string) => void) {}

  trouble(error: unknown): void {
    const what = describe(error);
    if (what !== this.told) this.say(`${what}: waiting until it does, nothing is lost.`);
    this.told = what;
  }

  over(): void {
    if (this.told !== null) this.say('It answers again; going on.');
    this.told = null;
  }
}

function describe(error: unknown): string {
  if (LongrunError.is(error, 'store_full')) return `The store has no space left (${error.message})`;
  if (LongrunError.is(error, 'store_unavailable')) return `The store does not answer (${error.message})`;
  return 'The Temporal server does not answer';
}
