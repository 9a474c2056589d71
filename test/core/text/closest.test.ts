import { describe, expect, it } from 'vitest';
import { closest, editDistance } from '../../../src/core/text/closest.js';

describe('the nearest known word', () => {
  it.each([
    ['sampels', 'samples'],
    ['MODLE', 'model'],
    ['evalute', 'evaluate'],
    ['quite-something-else', null],
    ['x', null],
  ])('%s → %s', (typed, meant) => {
    expect(closest(typed, ['samples', 'model', 'evaluate', 'agent'])).toBe(meant);
  });

  it('counts a swap of neighbours as one edit', () => {
    expect(editDistance('ab', 'ba')).toBe(1);
    expect(editDistance('kitten', 'sitting')).toBe(3);
  });

  it('knows nothing when there are no candidates', () => {
    expect(closest('a', [])).toBeNull();
  });
});
