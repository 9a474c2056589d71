import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VerifierSpec } from '../../src/core/rollout/task.schema.js';
import { BubblewrapDriver } from '../../src/sandbox/bubblewrap/index.js';
import { DockerDriver } from '../../src/sandbox/docker/index.js';
import { verifyByTests } from '../../src/tasks/verification/verify-by-tests.js';
import { inlineTask } from '../support/inline-task.js';
import { threat } from '../support/threat.js';
import { act, ScoringBench } from '../tasks/support/scoring.js';
import { ARTIFACTS, EXHAUSTED, FORGED, HIDDEN } from '../tasks/support/tricks.js';

/** 1 for whoever has the answer, which is among the tests: nobody writes it. */
const TEST = `#!/bin/sh
echo 42 > /tests/answer
if cmp -s /app/answer /tests/answer; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
`;
const AT_ROOT = { docker: null, bubblewrap: 'host' } as const;
type Driver = keyof typeof AT_ROOT;

const benches = {} as Record<Driver, ScoringBench>;
beforeAll(() => {
  benches.docker = new ScoringBench(new DockerDriver());
  benches.bubblewrap = new ScoringBench(new BubblewrapDriver());
});
afterAll(() => Promise.all(Object.values(benches).map((bench) => bench.close())));

async function verdictAfter(
  driver: Driver,
  script: string,
  isolation: VerifierSpec['isolation'],
  user: string | null = null,
) {
  const image = AT_ROOT[driver];
  const loaded = await inlineTask({
    taskId: 'one',
    ...(image === null ? {} : { image }),
    test: TEST,
    verifier: { isolation },
    step: { artifacts: [{ source: '/app', destination: 'app', exclude: [] }], agentUser: user },
  });
  const { task, context, sandbox } = await benches[driver].begin(loaded);
  if (user !== null) await act(sandbox, `chown ${user} /app`, 'root');
  await act(sandbox, script, user);
  return verifyByTests(task, 0, context, {});
}

const LEFT_OUT = expect.arrayContaining([
  expect.stringMatching(/^left out \/.*does not end inside the artifact/),
]);

describe(threat('an agent that is root', 'what its tests read, at `separate`'), () => {
  describe.each(['docker', 'bubblewrap'] as const)('in a %s sandbox', (driver) => {
    it.each(Object.keys(ARTIFACTS))('scores 0 and says so after %s', async (name) => {
      const verdict = await verdictAfter(driver, ARTIFACTS[name] ?? '', 'separate');
      expect(verdict).toMatchObject({
        reward: 0,
        isolation: 'separate',
        suspectedTampering: LEFT_OUT,
        trusted: [],
      });
    });

    it('scores the answer of an agent that has one', async () => {
      const honest = 'echo 42 > /app/real; ln -s real /app/l1; ln -s /app/l1 /app/answer';
      expect(await verdictAfter(driver, honest, 'separate')).toMatchObject({
        reward: 1,
        suspectedTampering: [],
      });
    });
  });
});

describe(threat('an agent that is not root', 'what its tests read, at `separate`'), () => {
  it.each(['a chain of two links', 'two artifacts that point into each other'])(
    'scores 0 after %s',
    async (name) => {
      const script = (ARTIFACTS[name] ?? '')
        .replace('mkdir -p /logs/artifacts; ', '')
        .replaceAll('/logs/artifacts', '/app');
      expect(await verdictAfter('docker', script, 'separate', '1000')).toMatchObject({
        reward: 0,
        suspectedTampering: LEFT_OUT,
      });
    },
  );
});

describe(threat('an agent that is not root', 'its score, at `shared`'), () => {
  it('cannot write the answer of the tests in their place, and is flagged for trying', async () => {
    const verdict = await verdictAfter('docker', FORGED, 'shared', '1000');
    expect(verdict).toMatchObject({ reward: 0, trusted: [] });
    expect(verdict.suspectedTampering).toContainEqual(expect.stringMatching(/^running process .*forge\.pl/));
    expect(verdict.suspectedTampering).toContainEqual('planted /.longrun-users/0 -r tests q.end');
  });

  it('cannot rewrite the reward under a name that hides it', async () => {
    expect(await verdictAfter('docker', HIDDEN, 'shared', '1000')).toMatchObject({ reward: 0 });
  });

  it.each(Object.keys(EXHAUSTED))('is scored 0 when it has taken %s', async (name) => {
    expect(await verdictAfter('docker', EXHAUSTED[name] ?? '', 'shared', '1000')).toMatchObject({
      reward: 0,
    });
  });
});

describe(threat('an agent that is root', 'its score, at `restarted`'), () => {
  it.each(['docker', 'bubblewrap'] as const)(
    'has no process left that rewrites the reward (%s)',
    async (driver) => {
      expect(await verdictAfter(driver, HIDDEN, 'restarted')).toMatchObject({
        reward: 0,
        trusted: ['files'],
      });
    },
  );

  it.each(Object.keys(EXHAUSTED))('is scored 0 when it has taken %s', async (name) => {
    expect(await verdictAfter('docker', EXHAUSTED[name] ?? '', 'restarted')).toMatchObject({ reward: 0 });
  });
});

describe(threat('an agent that is root', 'its score, at `shared`'), () => {
  it.each(['docker', 'bubblewrap'] as const)(
    'is flagged for a reward that is written late (%s)',
    async (driver) => {
      const verdict = await verdictAfter(driver, HIDDEN, 'shared');
      expect(verdict.suspectedTampering).toContainEqual(
        expect.stringMatching(/^changed .*reward\.txt after the tests/),
      );
      expect(verdict.trusted).toEqual(['files', 'processes']);
    },
  );
});
