import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  boundResult,
  RESULT_LIMIT_BYTES,
  resultLimitBytes,
  resultPath,
} from '../../src/agent/bound-result.js';

describe('a tool result', () => {
  it('that is short is shown whole', () => {
    expect(boundResult('ünï', 100)).toEqual({ shown: 'ünï', overflow: null });
  });

  it('that is long keeps whole lines of head and tail and says where the rest is', () => {
    const content = Array.from({ length: 1000 }, (_, n) => `line ${n}`).join('\n');
    const { shown, overflow } = boundResult(content, 1_000, '/tmp/longrun-results/a.txt');
    expect(Buffer.from(overflow ?? []).toString()).toBe(content);
    const lines = shown.split('\n');
    const gap = lines.findIndex((line) => line.startsWith('[…'));
    expect(lines[gap]).toMatch(/bytes left out; the whole of it is in \/tmp\/longrun-results\/a\.txt …\]$/);
    expect(lines.slice(0, gap)).toEqual(Array.from({ length: gap }, (_, n) => `line ${n}`));
    expect(lines.at(-1)).toBe('line 999');
    expect(lines.length - gap).toBeGreaterThan(gap);
  });

  it('is never longer than its limit and the note, and never cuts a character', () => {
    const text = fc.array(fc.constantFrom('a', 'é', '語', '🙂', '\n', 'word '), { maxLength: 3_000 });
    fc.assert(
      fc.property(text, fc.integer({ min: 100, max: 2_000 }), (parts, limit) => {
        const content = parts.join('');
        const { shown } = boundResult(content, limit);
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(
          Math.max(limit, Math.min(limit, content.length)) + 80,
        );
        expect(shown).not.toContain('\ufffd');
      }),
      { seed: 7, numRuns: 100 },
    );
  });

  it('may fill a quarter of the context window at most', () => {
    expect(resultLimitBytes(null)).toBe(RESULT_LIMIT_BYTES);
    expect(resultLimitBytes(200_000)).toBe(RESULT_LIMIT_BYTES);
    expect(resultLimitBytes(4_096)).toBe(3_072);
  });

  it('lies at a path that no call id can lead elsewhere', () => {
    expect(resultPath('call_1_0')).toBe('/tmp/longrun-results/call_1_0.txt');
    expect(resultPath('../../etc/x functions.f:0')).toBe(
      '/tmp/longrun-results/______etc_x_functions_f_0.txt',
    );
  });
});
