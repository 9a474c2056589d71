import { describe, expect, it } from 'vitest';
import { ServeBoard } from '../../../src/core/run/serve-board.js';
import type { ServeOpening } from '../../../src/core/run/workflow-messages.js';

const TERMS: ServeOpening = {
  sinks: ['atropos', 'jsonl'],
  hostId: 'here',
  groupSize: 4,
  groupsPerShift: 3,
  groups: null,
  opened: 0,
  first: 0,
  shiftsPerHistory: 50,
};
const board = (changes: Partial<ServeOpening> = {}) => new ServeBoard({ ...TERMS, ...changes });

describe('how far a run that serves may go', () => {
  it('is nowhere before each sink has spoken, and then as far as the least of them', () => {
    const serve = board();
    expect(serve.mayOpen(0)).toBe(false);
    serve.allow('jsonl', Number.MAX_SAFE_INTEGER);
    expect(serve.mayOpen(0)).toBe(false);
    serve.allow('atropos', 4);
    expect([0, 1, 2].map((shift) => serve.mayOpen(shift))).toEqual([true, true, false]);
    expect(serve.opened(0)).toEqual({ limit: 3, finishing: false });
    expect(serve.opened(1)).toEqual({ limit: 4, finishing: false });
  });

  it('is told to those shifts alone that it concerns, and once', () => {
    const serve = board({ sinks: ['atropos'] });
    serve.allow('atropos', 4);
    serve.opened(0);
    serve.opened(1);
    serve.allow('atropos', 5);
    expect(serve.takeNews([0, 1])).toEqual([{ index: 1, orders: { limit: 5, finishing: false } }]);
    expect(serve.takeNews([0, 1])).toEqual([]);
    serve.allow('atropos', 100);
    serve.allow('atropos', 6);
    expect(serve.takeNews([0, 1])).toEqual([{ index: 1, orders: { limit: 6, finishing: false } }]);
    serve.closed(1);
    serve.allow('atropos', 3);
    expect(serve.takeNews([0, 1])).toEqual([]);
  });

  it('is not told to a shift that takes no messages yet, but as soon as it does', () => {
    const serve = board({ sinks: ['atropos'] });
    serve.allow('atropos', 1);
    serve.opened(0);
    serve.allow('atropos', 2);
    expect(serve.takeNews([])).toEqual([]);
    expect(serve.takeNews([0])).toEqual([{ index: 0, orders: { limit: 2, finishing: false } }]);
  });

  it('ends when the trainer needs no more, but for shifts that were opened before', () => {
    const serve = board({ sinks: ['atropos'], opened: 6 });
    serve.finish();
    expect([0, 1, 2].map((shift) => serve.mayOpen(shift))).toEqual([true, true, false]);
    expect([0, 1, 2].map((shift) => serve.isOver(shift))).toEqual([false, false, true]);
    expect(serve.opened(1)).toEqual({ limit: 3, finishing: true });
  });

  it('outlives its history, and the last shift of a sequence has what is left', () => {
    const before = board({ groups: 7 });
    before.allow('jsonl', 50);
    before.allow('atropos', 50);
    const serve = new ServeBoard({ ...TERMS, groups: 7, opened: 6 }, before.state);
    expect(serve.mayOpen(2)).toBe(true);
    expect(serve.opened(2)).toEqual({ limit: 7, finishing: false });
    expect(serve.total).toBe(28);
  });
});
