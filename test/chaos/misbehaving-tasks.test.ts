import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeContainersOf } from '../support/docker-host.js';
import { LongrunHost } from '../support/longrun-host.js';
import {
  ANSWER,
  allAre,
  besideNeighbours,
  type Misbehaving,
  outcomesOf,
} from './support/beside-neighbours.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker();
});
afterAll(async () => {
  await removeContainersOf(host.store);
  await host.stop();
});

const FORK_BOMB = `${ANSWER}; trap "" TERM; bomb() { bomb | bomb & bomb; }; bomb`;
const SLEEPERS = `${ANSWER}; while :; do setsid sleep 300 & done`;
const TORRENT = `${ANSWER}; head -c 10G /dev/zero; yes | head -c 10G`;
/** 20 MB at a time, so that the two seconds between two looks of the watchdog do not fill this machine. */
const FILLER = `${ANSWER}; i=0; while [ $i -lt 500 ]; do head -c 20000000 /dev/zero > /fill.$i; i=$((i+1)); sleep 0.1; done`;
const HOG = `${ANSWER}; tail /dev/zero`;

const SOLVED = { stopReason: 'natural', reward: 1, attempts: 1, failure: null };

describe('tasks that misbehave in containers', () => {
  it('are bounded, scored as what their agent left, and harm no neighbour', async () => {
    const small = { sandbox: { memoryMb: 128 } };
    const disk = { sandbox: { storageMb: 64 } };
    const found = await besideNeighbours(
      host,
      'misbehaving',
      {
        'fork-bomb': { commands: [[FORK_BOMB, 5], 'cat /app/answer'] },
        sleepers: { commands: [[SLEEPERS, 5], 'cat /app/answer'] },
        'ten-gigabytes': { commands: [[TORRENT, 20], 'cat /app/answer'] },
        'disk-filler': { commands: [[FILLER, 60], 'cat /app/answer'], ...disk },
        'disk-daemon': { commands: [`setsid sh -c '${FILLER}' > /dev/null 2>&1 & sleep 5`], ...disk },
        'memory-hog': { commands: [HOG, 'cat /app/answer'], ...small },
        'memory-in-files': {
          commands: [`${ANSWER}; head -c 1G /dev/zero > /dev/shm/big; head -c 1G /dev/zero > /.longrun/big`],
          ...small,
        },
      } satisfies Record<string, Misbehaving>,
      { sandbox: 'docker' },
    );
    expect(outcomesOf(found)).toEqual(allAre(found, SOLVED));
  });
});

describe('tasks that misbehave in bubblewrap', () => {
  it('are bounded, scored as what their agent left, and harm no neighbour', async () => {
    const disk = { sandbox: { storageMb: 32 } };
    const found = await besideNeighbours(
      host,
      'misbehaving-bubblewrap',
      {
        'ten-gigabytes': { commands: [[`${ANSWER}; head -c 10G /dev/zero`, 5], 'cat /app/answer'] },
        'disk-filler': { commands: [`${ANSWER}; cat /dev/zero > /fill`, 'cat /app/answer'], ...disk },
        'disk-daemon': {
          commands: [
            `setsid sh -c '${ANSWER}; while :; do cat /dev/zero >> /fill; done' > /dev/null 2>&1 & sleep 1`,
          ],
          ...disk,
        },
      } satisfies Record<string, Misbehaving>,
      { sandbox: 'bubblewrap' },
    );
    expect(outcomesOf(found)).toEqual(allAre(found, SOLVED));
  });
});
