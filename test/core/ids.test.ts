import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ID_PATTERN, parseRolloutId, rolloutId, rolloutWorkflowId } from '../../src/core/ids.js';

const id = fc.stringMatching(ID_PATTERN);

describe('a rollout id', () => {
  it('reads back as the rollout it names', () => {
    const rollouts = fc.record({ runId: id, taskId: id, sample: fc.nat(999_999_999) });
    fc.assert(
      fc.property(rollouts, (rollout) => {
        expect(parseRolloutId(rolloutId(rollout))).toEqual(rollout);
      }),
    );
  });

  it.each([
    '',
    'r',
    'r/t',
    'r/t/',
    'r/t/x',
    'r/t/-1',
    'r/t/1.5',
    'r/t/01',
    'r/t/1e3',
    'r/t/0/more',
    '/t/0',
    '../../0',
    './t/0',
    'r/.hidden/0',
    'r t/t/0',
    'r/t/99999999999',
  ])('is not %j', (text) => expect(parseRolloutId(text)).toBeNull());

  it('is what the workflow is called', () => {
    expect(rolloutWorkflowId({ runId: 'r', taskId: 't', sample: 2 })).toBe('rollout/r/t/2');
  });
});
