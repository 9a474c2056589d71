import { expect, test } from 'vitest';
import { DiskAllowance } from '../../../src/sandbox/docker/disk-allowance.js';

const MB = 1024 * 1024;

test('a container that exceeded its limit may grow a little more, so that its tests can run', () => {
  const allowance = new DiskAllowance(100 * MB);
  expect(allowance.isExceededBy(100 * MB)).toBe(false);
  expect(allowance.isExceededBy(101 * MB)).toBe(true);
  allowance.struckAt(900 * MB);
  expect(allowance.isExceededBy(1_000 * MB)).toBe(false);
  expect(allowance.isExceededBy(1_500 * MB)).toBe(true);
});

test('one that was cleaned up is held to its limit again', () => {
  const allowance = new DiskAllowance(100 * MB);
  allowance.struckAt(900 * MB);
  expect(allowance.isExceededBy(50 * MB)).toBe(false);
  expect(allowance.isExceededBy(200 * MB)).toBe(true);
});

test('one that goes on filling gets no more room in the end', () => {
  const allowance = new DiskAllowance(100 * MB);
  for (const held of [200, 800, 1_400, 2_000]) allowance.struckAt(held * MB);
  expect(allowance.isExceededBy(2_000 * MB)).toBe(false);
  expect(allowance.isExceededBy(2_001 * MB)).toBe(true);
});
