import { expect, test } from 'vitest';
import { ConcurrencyWindow, freshWindow } from '../../../src/core/endpoint/concurrency-window.js';

/** Rounds of answers with the whole window in use. */
function answer(window: ConcurrencyWindow, rounds: number): void {
  for (let i = 0; i < rounds; i++) window.answered(2 * window.limit, true);
}

test('a streak of refusals leaves the ceiling where the first one put it, and the window grows back', () => {
  const window = new ConcurrencyWindow(freshWindow());
  window.refused(11);
  for (const inFlight of [5, 2]) window.refusedAgain(inFlight);
  expect(window.limit).toBe(1);
  expect(window.state.ceiling).toBe(11);
  answer(window, 6);
  expect(window.limit).toBeGreaterThanOrEqual(8);
  expect(window.limit).toBeLessThan(11);
});

test('a refusal after answers is a ceiling that is not tried again soon', () => {
  const window = new ConcurrencyWindow(freshWindow());
  window.refused(6);
  answer(window, 10);
  expect(window.limit).toBe(5);
});

test('a window for one call is tried again after some twenty answers, and each time that is refused after twice as many', () => {
  const window = new ConcurrencyWindow(freshWindow());
  window.refused(1);
  for (const answers of [17, 34, 67]) {
    window.answered(answers - 1, true);
    expect(window.limit).toBe(1);
    window.answered(1, true);
    expect(window.limit).toBe(2);
    window.refused(2);
  }
});
