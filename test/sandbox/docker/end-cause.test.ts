import { describe, expect, test } from 'vitest';
import { type ContainerState, endCause, readEvents } from '../../../src/sandbox/docker/end-cause.js';

const NO_EVENTS = { killed: false, outOfMemoryAtMs: null };
const FINISHED = '2026-01-01T00:01:00.500Z';
const ended = (ExitCode: number, OOMKilled = false): ContainerState => ({
  Running: false,
  OOMKilled,
  ExitCode,
  StartedAt: '2026-01-01T00:00:00Z',
  FinishedAt: FINISHED,
});

describe('a container that ended', () => {
  test('with a status of its own ended from inside', () => {
    expect(endCause(ended(0), NO_EVENTS).ended).toBe('inside');
    expect(endCause(ended(2), NO_EVENTS).ended).toBe('inside');
  });

  test('by a kill that the engine remembers ended from outside, whatever else happened', () => {
    const events = { killed: true, outOfMemoryAtMs: Date.parse(FINISHED) - 10 };
    expect(endCause(ended(137, true), events)).toEqual({ running: false, ended: 'outside', oomKilled: true });
    expect(endCause(ended(0), { ...NO_EVENTS, killed: true }).ended).toBe('outside');
  });

  test('by a kill that nobody remembers ended from outside', () => {
    for (const code of [137, 143, 255, 128]) expect(endCause(ended(code), NO_EVENTS).ended).toBe('outside');
  });

  test('out of memory ended from inside', () => {
    expect(endCause(ended(137, true), NO_EVENTS).ended).toBe('inside');
    const justNow = { killed: false, outOfMemoryAtMs: Date.parse(FINISHED) - 20 };
    expect(endCause(ended(137, true), justNow).ended).toBe('inside');
  });

  test('long after a process in it ran out of memory ended from outside', () => {
    const earlier = { killed: false, outOfMemoryAtMs: Date.parse(FINISHED) - 30_000 };
    expect(endCause(ended(137, true), earlier).ended).toBe('outside');
  });
});

test('a running container has not ended, and tells that something ran out of memory', () => {
  const running = { ...ended(0), Running: true };
  expect(endCause(running, NO_EVENTS)).toEqual({ running: true, ended: null, oomKilled: false });
  expect(endCause(running, { killed: false, outOfMemoryAtMs: 5 }).oomKilled).toBe(true);
});

test('only signals that end a container count as its kill', () => {
  const kill = (signal: string) => JSON.stringify({ Action: 'kill', Actor: { Attributes: { signal } } });
  expect(readEvents(`${kill('10')}\n`).killed).toBe(false);
  expect(readEvents(`${kill('10')}\n${kill('9')}\n`).killed).toBe(true);
  expect(readEvents(`${kill('15')}\n`).killed).toBe(true);
  expect(readEvents('')).toEqual(NO_EVENTS);
});

test('the last time that memory ran out is read from the events', () => {
  const lines = [1_000_000, 3_000_000]
    .map((timeNano) => JSON.stringify({ Action: 'oom', timeNano }))
    .join('\n');
  expect(readEvents(lines).outOfMemoryAtMs).toBe(3);
});
