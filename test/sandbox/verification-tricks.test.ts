import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VerifierSpec } from '../../src/core/rollout/task.schema.js';
import { DockerDriver } from '../../src/sandbox/docker/index.js';
import { verifyByTests } from '../../src/tasks/verification/verify-by-tests.js';
import { inlineTask } from '../support/inline-task.js';
import { threat } from '../support/threat.js';
import { act, ScoringBench } from '../tasks/support/scoring.js';
import { BACKGROUND, TRICKS } from '../tasks/support/tricks.js';

/** 0 for everybody here: nobody writes the answer. The pauses are for those who wait in the background. */
const TEST = `#!/bin/bash
sleep 0.3
ok=0
solved='exit(-e "/app/answer" ? 0 : 1)'
if perl -e "$solved" || python3 /tests/check.py || pytest /tests || echo no | grep -q 42; then ok=1; fi 2> /dev/null
echo "LD_PRELOAD=$LD_PRELOAD BASH_ENV=$BASH_ENV ENV=$ENV PYTHONPATH=$PYTHONPATH PYTHONSTARTUP=$PYTHONSTARTUP PATH=$PATH"
echo $ok > /logs/verifier/reward.txt
sleep 0.3
`;
const ENVIRONMENT =
  'LD_PRELOAD= BASH_ENV= ENV= PYTHONPATH= PYTHONSTARTUP= PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n';

let bench: ScoringBench;
beforeAll(() => {
  bench = new ScoringBench(new DockerDriver());
});
afterAll(() => bench.close());

async function verdictAfter(script: string, isolation: VerifierSpec['isolation'], user: string | null) {
  const artifacts = [{ source: '/app', destination: 'app', exclude: [] }];
  const loaded = await inlineTask({
    taskId: 'one',
    test: TEST,
    verifier: { isolation },
    step: { artifacts },
  });
  const { task, context, sandbox } = await bench.begin(loaded);
  await act(sandbox, `cd /tmp; ${script}`, user);
  return verifyByTests(task, 0, context, {});
}

const NAMES = Object.keys(TRICKS);
const scriptOf = (name: string): string => TRICKS[name]?.script ?? '';

describe.concurrent(threat('an agent that is root', 'its score, at `separate`'), () => {
  it.each(NAMES)('is not changed by %s', async (name) => {
    expect(await verdictAfter(scriptOf(name), 'separate', null)).toMatchObject({
      reward: 0,
      isolation: 'separate',
      testOutput: ENVIRONMENT,
    });
  });
});

describe.concurrent(threat('an agent that is not root', 'its score, at `shared`'), () => {
  it.each(NAMES)('is not changed by %s', async (name) => {
    const verdict = await verdictAfter(scriptOf(name), 'shared', 'nobody');
    expect(verdict).toMatchObject({ reward: 0, isolation: 'shared', testOutput: ENVIRONMENT });
  });
});

describe.each(['shared', 'restarted'] as const)('by a root agent, %s', (level) => {
  describe.concurrent('it is flagged, whatever the score', () => {
    it.each(NAMES)('by %s', async (name) => {
      const { suspectedTampering, reward } = await verdictAfter(scriptOf(name), level, null);
      expect(suspectedTampering).toContainEqual(expect.stringMatching(TRICKS[name]?.flagged ?? /^$/));
      if (level === 'restarted' && name in BACKGROUND) expect(reward).toBe(0);
    });
  });
});

it('what runs in the background for the task is not flagged', async () => {
  const verdict = await verdictAfter(
    `setsid sh -c 'while :; do date > /app/heartbeat; sleep 0.1; done' > /dev/null 2>&1 &`,
    'shared',
    null,
  );
  expect(verdict).toMatchObject({ reward: 0, suspectedTampering: [] });
});
