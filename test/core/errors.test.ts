import { describe, expect, it } from 'vitest';
import { badInput, LongrunError } from '../../src/core/errors.js';

describe('an error of ours', () => {
  it('carries code, hint and exit code; bad input exits with 2', () => {
    const error = badInput('flag --tasks: found "x", accepted: a whole number', 'Try --tasks 5', {
      flag: 'tasks',
    });
    expect(error).toMatchObject({
      code: 'bad_input',
      exitCode: 2,
      retryable: false,
      details: { flag: 'tasks' },
    });
    expect(new LongrunError('store_full', 'm').exitCode).toBe(1);
  });

  it('keeps what caused it', () => {
    const cause = new Error('below');
    expect(new LongrunError('internal', 'm', { cause }).cause).toBe(cause);
  });

  it('is told from anything else, by code where one is asked for', () => {
    const error = new LongrunError('fenced', 'm');
    expect([
      LongrunError.is(error),
      LongrunError.is(error, 'fenced'),
      LongrunError.is(error, 'internal'),
    ]).toEqual([true, true, false]);
    for (const other of [new Error('m'), null, undefined, 'fenced', { code: 'fenced' }]) {
      expect(LongrunError.is(other)).toBe(false);
    }
  });
});
