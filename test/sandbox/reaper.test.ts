import { describe, expect, test } from 'vitest';
import {
  type OwnerState,
  PLACEMENT_GRACE_MS,
  type ReaperDeps,
  type ReapReason,
  reapOnce,
  reapReason,
} from '../../src/sandbox/reaper.js';
import type { Sandbox, SandboxDriver, SandboxInfo, SandboxOwner } from '../../src/sandbox/sandbox.js';

const NOW = 1_000_000_000;

function sandbox(owner: Partial<SandboxOwner> = {}, ageMs = 10 * PLACEMENT_GRACE_MS): SandboxInfo {
  const whole: SandboxOwner = {
    clusterId: 'ours',
    namespace: 'default',
    hostId: 'here',
    runId: 'run',
    taskId: 'task',
    sample: 0,
    attempt: 1,
    role: 'agent',
    ...owner,
  };
  const id = `${whole.runId}-${whole.attempt}`;
  return { ref: { driver: 'docker', id }, owner: whole, createdAtMs: NOW - ageMs, running: true };
}

describe('the reaper', () => {
  const young = PLACEMENT_GRACE_MS - 1;
  const old = PLACEMENT_GRACE_MS;
  const cases: Array<[string, OwnerState, boolean | null, number, ReapReason | null]> = [
    ['removes what a closed workflow has left', 'closed', null, young, 'workflow_closed'],
    ['removes what a closed workflow has left, placed or not', 'closed', true, old, 'workflow_closed'],
    ['removes what no workflow of the cluster owns', 'unknown', null, young, 'workflow_unknown'],
    ['keeps everything while the cluster does not answer', 'unreachable', false, old, null],
    ['removes what an attempt that has ended left, placed or not', 'ended', true, young, 'attempt_ended'],
    ['keeps what an open workflow has placed', 'open', true, old, null],
    ['keeps what is not placed yet', 'open', false, young, null],
    ['removes what was not placed in two minutes', 'open', false, old, 'not_placed'],
    ['keeps what it cannot ask the store about', 'open', null, old, null],
  ];
  test.each(cases)('%s', (_title, ownerState, placed, ageMs, reason) => {
    const input = { clusterId: 'ours', hostId: 'here', nowMs: NOW, ownerState, placed };
    expect(reapReason(sandbox({}, ageMs), input)).toBe(reason);
  });

  test('never touches the sandboxes of another installation or another host', () => {
    const input = {
      clusterId: 'ours',
      hostId: 'here',
      nowMs: NOW,
      ownerState: 'closed' as const,
      placed: null,
    };
    expect(reapReason(sandbox({ clusterId: 'theirs' }), input)).toBeNull();
    expect(reapReason(sandbox({ hostId: 'elsewhere' }), input)).toBeNull();
  });

  test('removes in one round what it may, and goes on when one removal fails', async () => {
    const failing = sandbox({ runId: 'failing' });
    const closed = sandbox({ runId: 'closed' });
    const open = sandbox({ runId: 'open' });
    const destroyed: string[] = [];
    const failed: string[] = [];
    const driver = {
      list: async (clusterId: string) => (clusterId === 'ours' ? [failing, closed, open] : []),
      adopt: async (ref: { id: string }) =>
        ({
          destroy: async () => {
            if (ref.id === failing.ref.id) throw new Error('engine');
            destroyed.push(ref.id);
          },
        }) as Sandbox,
    } as unknown as SandboxDriver;
    const deps: ReaperDeps = {
      driver,
      clusterId: 'ours',
      hostId: 'here',
      now: () => NOW,
      ownerState: async (owner) => (owner.runId === 'open' ? 'open' : 'closed'),
      isPlaced: async () => true,
      onFailed: (info) => failed.push(info.ref.id),
    };
    expect(await reapOnce(deps)).toBe(1);
    expect(destroyed).toEqual([closed.ref.id]);
    expect(failed).toEqual([failing.ref.id]);
  });
});
