import { describe, expect, it } from 'vitest';
import { type Candidate, selectMembers } from '../../src/replay/select-members.js';
import type { RolloutResult } from '../../src/store/records/records.schema.js';
import { lostResult, result } from '../store/fixtures.js';
import { request } from '../support/replaying.js';

const candidate = (found: RolloutResult | null, changes: Partial<Candidate> = {}): Candidate => ({
  taskId: 't',
  sample: 0,
  result: found,
  completeTurns: 3,
  agentEnded: found?.reward !== null,
  ...changes,
});
const reasons = (...args: Parameters<typeof selectMembers>) =>
  selectMembers(...args).leftOut.map(({ reason }) => reason);

describe('what a replay takes', () => {
  it('is a new attempt of each rollout, as often as asked for', () => {
    const { members } = selectMembers(request({ failed: true, times: 2 }), [
      candidate(lostResult({ attempt: 2 })),
    ]);
    expect(members).toEqual([
      { taskId: 't', sample: 0, nth: 1, sourceAttempt: 2, fromTurn: null },
      { taskId: 't', sample: 0, nth: 2, sourceAttempt: 2, fromTurn: null },
    ]);
  });

  it('is every complete turn of a rollout that is resumed, or as many as named', () => {
    const from = (fromTurn: number | null) =>
      selectMembers(request({ failed: true, mode: 'resume', fromTurn }), [candidate(lostResult())]).members[0]
        ?.fromTurn;
    expect(from(null)).toBe(3);
    expect(from(2)).toBe(2);
  });

  it('is nothing that is scored, unless it is named or asked for', () => {
    const scored = [candidate(result())];
    expect(reasons(request({ tasks: ['t'] }), scored)).toEqual([expect.stringContaining('--include-sealed')]);
    expect(reasons(request({ tasks: ['t'], includeSealed: true }), scored)).toEqual([]);
    expect(reasons(request({ rollouts: ['t/0'] }), scored)).toEqual([]);
    expect(reasons(request({ tasks: ['t'], mode: 'fork', fromTurn: 1 }), scored)).toEqual([]);
  });

  it('is nothing that is open', () => {
    expect(reasons(request({ tasks: ['t'] }), [candidate(null)])).toEqual(['it is still open']);
  });

  it('verifies no state that the infrastructure broke off: that would score a failure', () => {
    const broken = candidate(lostResult(), { agentEnded: false });
    expect(reasons(request({ failed: true, mode: 'verify' }), [broken])).toEqual([
      expect.stringContaining('did not come to an end'),
    ]);
  });

  it('goes on from no turn that is not recorded', () => {
    const from4 = request({ failed: true, mode: 'resume', fromTurn: 4 });
    expect(reasons(from4, [candidate(lostResult())])).toEqual([expect.stringContaining('3 complete turns')]);
    const fork = request({ failed: true, mode: 'fork' });
    expect(reasons(fork, [candidate(lostResult(), { completeTurns: 0 })])).toEqual([
      'it has no complete turn to go on from',
    ]);
  });
});
