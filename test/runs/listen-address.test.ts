import { describe, expect, it } from 'vitest';
import { isLoopback, listenAddress } from '../../src/runs/listen-address.js';

describe('where an API listens', () => {
  it.each([
    ['127.0.0.1:8001', '127.0.0.1', 8001],
    [':8001', '127.0.0.1', 8001],
    ['[::1]:80', '::1', 80],
    ['trainer.example:0', 'trainer.example', 0],
  ])('%s is host and port', (text, host, port) => {
    expect(listenAddress(text)).toEqual({ host, port });
  });

  it('refuses a port that is none', () => {
    expect(() => listenAddress(':70000')).toThrow(/found port 70000, accepted: from 0 to 65535/);
  });

  it('knows which hosts only this machine can reach', () => {
    expect(['127.0.0.1', '127.8.0.1', '::1', 'localhost'].every(isLoopback)).toBe(true);
    expect(['0.0.0.0', '::', '192.168.1.2', '127.0.0.1.example'].some(isLoopback)).toBe(false);
  });
});
