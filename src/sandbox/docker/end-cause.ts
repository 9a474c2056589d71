import { SECOND_MS } from '../../core/time.js';
import type { SandboxState } from '../sandbox.js';

/** What the engine's inspection says of a container. */
export interface ContainerState {
  Running: boolean;
  OOMKilled: boolean;
  ExitCode: number;
  StartedAt: string;
  FinishedAt: string;
}

/** What the engine still remembers since the container's last start; it keeps a few hundred events in all. */
export interface ContainerEvents {
  /** It was asked to kill or stop the container. */
  killed: boolean;
  /** When something inside last ran out of memory; epoch milliseconds. */
  outOfMemoryAtMs: number | null;
}

/** 137: killed. 143: terminated. 255 and 128: the engine lost sight of it (a crash, a reboot). */
const OUTSIDE_EXIT_CODES = new Set([137, 143, 255, 128]);

/** The engine's mark stays for the container's life, even where only a child of PID 1 ran out of memory. */
const OUT_OF_MEMORY_WINDOW_MS = 5 * SECOND_MS;

/**
 * Why a container is not running. Nothing inside can end PID 1 by signals, so one that was killed was killed
 * from outside, unless it had just run out of memory; one whose PID 1 returned a status of its own ended from
 * inside. In doubt it is outside: an infrastructure failure must never become a score.
 */
export function endCause(state: ContainerState, events: ContainerEvents): SandboxState {
  const oomKilled = state.OOMKilled || events.outOfMemoryAtMs !== null;
  if (state.Running) return { running: true, ended: null, oomKilled };
  const inside = !events.killed && (!OUTSIDE_EXIT_CODES.has(state.ExitCode) || diedOfMemory(state, events));
  return { running: false, ended: inside ? 'inside' : 'outside', oomKilled };
}

function diedOfMemory(state: ContainerState, events: ContainerEvents): boolean {
  if (events.outOfMemoryAtMs === null) return state.OOMKilled;
  return Date.parse(state.FinishedAt) - events.outOfMemoryAtMs < OUT_OF_MEMORY_WINDOW_MS;
}

interface EngineEvent {
  Action?: string;
  timeNano?: number;
  Actor?: { Attributes?: Record<string, string> };
}

/** Reads the engine's event lines. Only KILL and TERM count as kills: other signals do not end PID 1. */
export function readEvents(lines: string): ContainerEvents {
  const events = lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as EngineEvent);
  const kills = ['9', '15'];
  const outOfMemory = events.findLast((event) => event.Action === 'oom')?.timeNano;
  return {
    killed: events.some(
      (event) => event.Action === 'kill' && kills.includes(event.Actor?.Attributes?.signal ?? ''),
    ),
    outOfMemoryAtMs: outOfMemory === undefined ? null : outOfMemory / 1e6,
  };
}
