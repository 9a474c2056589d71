import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeContainersOf } from '../support/docker-host.js';
import { LongrunHost } from '../support/longrun-host.js';
import { ANSWER, besideNeighbours, type Misbehaving } from './support/beside-neighbours.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker();
});
afterAll(async () => {
  await removeContainersOf(host.store);
  await host.stop();
});

const attack = (command: string): Misbehaving => ({ commands: [`${ANSWER}; ${command}`] });

/** Each would end an ordinary container, or every process of it. */
const ATTACKS: Record<string, Misbehaving> = {
  'kill-all': attack('kill -9 -1'),
  'kill-all-gently': attack('kill -1; kill -TERM -1'),
  'kill-init': attack('kill -9 1; kill -TERM 1; kill -INT 1; kill -QUIT 1; kill -HUP 1; kill 1'),
  'every-signal': attack('for s in $(seq 1 64); do kill -$s 1; done; true'),
  'shut-down': attack('shutdown -f now; halt -f; reboot -f; echo b > /proc/sysrq-trigger; true'),
  'kill-in-the-background': {
    commands: [`${ANSWER}; setsid sh -c 'sleep 0.5; kill -9 -1' > /dev/null 2>&1 & true`, 'sleep 1'],
  },
  exits: attack('exit 3'),
  'kills-its-parent': attack('kill -9 $PPID; kill -9 $$'),
};

const EAT_MEMORY = 'for i in 1 2 3 4; do tail /dev/zero & done; wait';

/** Out of memory, PID 1 put first in line for the kernel's choice; again, as it may take what ate the memory instead. */
const OUT_OF_MEMORY: Misbehaving = {
  commands: [
    `${ANSWER}; echo 1000 > /proc/1/oom_score_adj; ${EAT_MEMORY}`,
    EAT_MEMORY,
    EAT_MEMORY,
    EAT_MEMORY,
    'true',
  ],
  sandbox: { memoryMb: 64 },
};

const seen = (found: Awaited<ReturnType<typeof besideNeighbours>>, names: string[]) =>
  Object.fromEntries(
    names.map((name) => {
      const { failureClass, reward, attempts, failure } = found[name] ?? {};
      return [name, { failureClass, reward, attempts, failure }];
    }),
  );

const SCORED = { failureClass: 'agent', reward: 1, attempts: 1, failure: null };

describe('an agent that ends its own sandbox gets no free retry: it is scored by what it left', () => {
  it('in containers', async () => {
    const attacks = { ...ATTACKS, 'out-of-memory': OUT_OF_MEMORY };
    const found = await besideNeighbours(host, 'ends', attacks, { sandbox: 'docker' });
    const mine = seen(found, Object.keys(attacks));
    expect(mine).toEqual(Object.fromEntries(Object.keys(mine).map((name) => [name, SCORED])));
    expect(found['out-of-memory']?.stopReason).toBe('sandbox_ended');
  });

  it('in bubblewrap', async () => {
    const found = await besideNeighbours(host, 'ends-bubblewrap', ATTACKS, { sandbox: 'bubblewrap' });
    const mine = seen(found, Object.keys(ATTACKS));
    expect(mine).toEqual(Object.fromEntries(Object.keys(mine).map((name) => [name, SCORED])));
  });
});
