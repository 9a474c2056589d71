import { describe, it } from 'vitest';
import { surviveKillsIn } from './support/killed-in-phase.js';

describe.concurrent('a worker that is killed, before, in and after a step, is followed by one that', () => {
  it('(provisioning) adopts the placed sandboxes, and those that nobody names are removed', (context) =>
    surviveKillsIn('provisioning', { before: 6, effect: 3, recorded: 3 }, context));

  it('(sampling) never samples a recorded answer again, and pays for at most one lost call per rollout', (context) =>
    surviveKillsIn('sampling', { before: 9, effect: 7, recorded: 7 }, context));

  it('(command) re-attaches to the running commands: each runs once', (context) =>
    surviveKillsIn('command', { before: 9, effect: 7, recorded: 7 }, context));
});
