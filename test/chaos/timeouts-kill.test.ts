import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { toolResultSchema, verdictSchema } from '../../src/store/records/records.schema.js';
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

const script = (lines: string) => `#!/bin/sh\n${lines}\n`;
/** Waits long enough for an answer that comes too late, then tells whether anything of the agent's runs. */
const SLOW_TEST = script(`sleep 12
for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; echo; done 2> /dev/null | grep -E '^sleep (9|77) $'
if [ "$(cat /app/answer 2> /dev/null)" = 42 ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt`);
const LATE = `sleep 9; ${ANSWER}`;
const SHORT = { step: { agentTimeoutMs: 2_500 }, test: SLOW_TEST };

/** A service: listens where others can reach it, in Perl because every image has that. */
const LISTEN = `cat > /app/serve.pl <<'END'
use Socket; my $listen = 1;
socket(my $s, PF_UNIX, SOCK_STREAM, 0); bind($s, sockaddr_un('/app/socket')) or die; listen($s, 5);
while (accept(my $c, $s)) { print $c "42\\n"; close $c; }
END
setsid perl /app/serve.pl > /dev/null 2>&1 &
while [ ! -S /app/socket ]; do sleep 0.1; done`;
const ASK = script(`perl -MSocket -e '
socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, sockaddr_un("/app/socket")) or exit; print <$s>' > /tmp/said
if [ "$(cat /tmp/said)" = 42 ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt`);
/** Runs in the background, listens nowhere. */
const WORKER =
  script(`for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; done 2> /dev/null | grep -q 'sleep 77[7]'
if [ $? = 0 ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt`);

const LATE_ANSWERS: Record<string, Misbehaving> = {
  'late-child': { commands: [`(${LATE}) & sleep 60`], ...SHORT },
  'late-daemon': { commands: [`setsid sh -c '${LATE}' > /dev/null 2>&1 & sleep 60`], ...SHORT },
  'late-orphan': { commands: [`(setsid sh -c '(${LATE}) &' > /dev/null 2>&1 &); sleep 60`], ...SHORT },
  'late-deaf': {
    commands: [`setsid sh -c 'trap "" TERM INT HUP; ${LATE}' > /dev/null 2>&1 & sleep 60`],
    ...SHORT,
  },
  'late-from-before': {
    commands: [`setsid sh -c '${LATE}' > /dev/null 2>&1 & sleep 1`, 'sleep 60'],
    ...SHORT,
  },
  'late-respawning': {
    commands: [`setsid sh -c 'while :; do sleep 9; ${ANSWER}; done' > /dev/null 2>&1 & sleep 60`],
    ...SHORT,
  },
};

const CUT_SHORT: Record<string, Misbehaving> = {
  // The command outlives its time, the agent goes on: what it wrote meanwhile is its work.
  'outlives-its-time': { commands: [[`sleep 77; ${ANSWER}`, 1], 'sleep 0.1'], test: SLOW_TEST },
  'ignores-sigterm': {
    commands: [
      [`trap "" TERM INT HUP; (trap "" TERM; sleep 77) & while :; do sleep 77; done`, 1],
      'sleep 0.1',
    ],
    test: SLOW_TEST,
  },
};

const SERVICES: Record<string, Misbehaving> = {
  service: { commands: [LISTEN], test: ASK },
  'service-of-a-late-agent': { commands: [LISTEN, 'sleep 60'], test: ASK, step: { agentTimeoutMs: 2_500 } },
  'background-worker': { commands: ['setsid sleep 777 > /dev/null 2>&1 &'], test: WORKER },
};

describe.each([
  ['containers', 'docker'],
  ['bubblewrap', 'bubblewrap'],
] as const)('time that runs out in %s', (_, sandbox) => {
  const runId = `timeouts-${sandbox}`;

  it('kills what runs before the verifier looks, and keeps services that a task asked for', async () => {
    const found = await besideNeighbours(
      host,
      runId,
      { ...LATE_ANSWERS, ...CUT_SHORT, ...SERVICES },
      { sandbox },
    );
    const seen = await Promise.all(
      Object.values(found).map(async ({ taskId, stopReason, reward, attempts, isolation }) => {
        const key = { runId, taskId, sample: 0, attempt: 1 };
        const verdict = await readRecord(host.store, verdictSchema, keys.verdict(key, 0));
        return [taskId, { stopReason, reward, attempts, isolation, said: verdict?.testOutput }];
      }),
    );
    const one = { attempts: 1, isolation: 'shared', said: '' };
    const expected = [
      ...Object.keys(LATE_ANSWERS).map((name) => [name, { ...one, stopReason: 'wall_timeout', reward: 0 }]),
      ...Object.keys(CUT_SHORT).map((name) => [name, { ...one, stopReason: 'natural', reward: 0 }]),
      ['service', { ...one, stopReason: 'natural', reward: 1 }],
      ['service-of-a-late-agent', { ...one, stopReason: 'wall_timeout', reward: 1 }],
      ['background-worker', { ...one, stopReason: 'natural', reward: 1 }],
    ];
    const bad = seen.filter(([name]) => !String(name).startsWith('neighbour'));
    expect(Object.fromEntries(bad)).toEqual(Object.fromEntries(expected));
    const tool = keys.toolResult({ runId, taskId: 'ignores-sigterm', sample: 0, attempt: 1 }, 0, 0, 0);
    expect(await readRecord(host.store, toolResultSchema, tool)).toMatchObject({
      error: 'timeout',
      success: false,
    });
  });
});
