import { describe, expect, it } from 'vitest';
import { parseCapacity } from '../../../src/core/host/host-capacity.js';

const KINDS = ['docker', 'memory'];
const parse = (text: string) => parseCapacity('--capacity', text, KINDS);

describe('the capacity of a host', () => {
  it('is one number for every kind, or one for each', () => {
    expect(parse('8')).toBe(8);
    expect(parse('docker=8')).toEqual({ docker: 8 });
    expect(parse('docker=8, memory=16')).toEqual({ docker: 8, memory: 16 });
  });

  it.each([
    '',
    '0',
    '-1',
    '1.5',
    'docker=',
    'docker=0',
    'docker=2=3',
    'docker=1,docker=2',
    'podman=1',
    'docker=1,',
  ])('is not %j', (text) => {
    expect(() => parse(text)).toThrow(/^--capacity: found /);
  });
});
