import { describe, expect, it } from 'vitest';
import {
  HOST_PRESENT_MS,
  type HostRecord,
  hostRecordSchema,
  isPresent,
  takesWork,
} from '../../src/store/hosts.js';

const NOW = 1_000_000_000;
const host = (over: Partial<HostRecord> = {}): HostRecord => ({
  schemaVersion: 1,
  hostId: 'one',
  hostname: 'machine',
  firstSeenAt: 1,
  role: 'all',
  pid: 1,
  capacity: { docker: 8 },
  live: { docker: 8 },
  draining: false,
  lastSeenAt: NOW - 1,
  leftAt: null,
  ...over,
});

describe('a host that work could move to', () => {
  it('is there, holds sandboxes of the kind, and takes new ones; a full one will', () => {
    expect(takesWork(host(), 'docker', NOW)).toBe(true);
    expect(takesWork(host(), 'bubblewrap', NOW)).toBe(false);
    expect(takesWork(host({ draining: true }), 'docker', NOW)).toBe(false);
    expect(takesWork(host({ role: 'orchestrator' }), 'docker', NOW)).toBe(false);
    expect(takesWork(host({ leftAt: NOW - 1 }), 'docker', NOW)).toBe(false);
    expect(takesWork(host({ lastSeenAt: NOW - HOST_PRESENT_MS }), 'docker', NOW)).toBe(false);
  });

  it('is not one that an older version wrote down and never again', () => {
    const old = hostRecordSchema.parse({
      schemaVersion: 1,
      hostId: 'one',
      hostname: 'machine',
      firstSeenAt: 1,
    });
    expect(isPresent(old, NOW)).toBe(false);
  });
});
