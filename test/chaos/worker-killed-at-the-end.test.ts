import { describe, it } from 'vitest';
import { surviveKillsIn } from './support/killed-in-phase.js';

describe.concurrent('a worker that is killed, before, in and after a step, is followed by one that', () => {
  it('(verification) waits for the running tests or takes their recorded verdict: they run once', (context) =>
    surviveKillsIn('verification', { before: 3, effect: 3, recorded: 3 }, context));

  it('(finalizing) seals what is left: every result and trajectory is there, once', (context) =>
    surviveKillsIn('finalizing', { before: 3, effect: 3, recorded: 3 }, context));
});
