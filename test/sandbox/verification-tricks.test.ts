import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DockerDriver } from '../../src/sandbox/docker/index.js';
import type { LoadedTask } from '../../src/tasks/environment.js';
import { verifyByTests } from '../../src/tasks/verification/verify-by-tests.js';
import { act, ScoringBench } from '../tasks/support/scoring.js';
import { taskWith } from '../tasks/support/scoring-cases.js';
import { BACKGROUND, TRICKS } from '../tasks/support/tricks.js';

/** Perl stands where the image has neither Python nor pytest: what is replaced counts, not its language. */
const DOCKERFILE = `RUN ln -s perl /usr/bin/python3 && printf '#!/bin/sh\\nexec python3 "$@"\\n' > /usr/bin/pytest && chmod +x /usr/bin/pytest
`;
/** 0 for everybody here: nobody writes the answer. The pauses are for those who wait in the background. */
const TEST = `exec 3>&1
sleep 0.3
ok=0
if pytest -e 'exit(-e "/app/answer" ? 0 : 1)' || python3 -e 'exit(-e "/app/answer" ? 0 : 1)' || echo no | grep -q 42; then ok=1; fi
echo "LD_PRELOAD=$LD_PRELOAD BASH_ENV=$BASH_ENV ENV=$ENV PYTHONPATH=$PYTHONPATH PYTHONSTARTUP=$PYTHONSTARTUP PATH=$PATH"
echo $ok > /logs/verifier/reward.txt
sleep 0.3`;
const ENVIRONMENT =
  'LD_PRELOAD= BASH_ENV= ENV= PYTHONPATH= PYTHONSTARTUP= PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n';

type Level = 'shared' | 'restarted' | 'separate';

let bench: ScoringBench;
const tasks = new Map<Level, LoadedTask>();
beforeAll(async () => {
  bench = new ScoringBench(new DockerDriver());
  for (const level of ['shared', 'restarted', 'separate'] as const) {
    const toml = `artifacts = ["/app"]\n[verifier]\nenvironment_mode = "${level}"`;
    tasks.set(level, await taskWith(TEST, toml, {}, DOCKERFILE, '#!/bin/bash'));
  }
});
afterAll(() => bench.close());

async function verdictAfter(script: string, level: Level, user: string | null) {
  const { task, context, sandbox } = await bench.begin(tasks.get(level) as LoadedTask);
  await act(sandbox, `cd /tmp; ${script}`, user);
  return verifyByTests(task, 0, context, {});
}

const NAMES = Object.keys(TRICKS);
const scriptOf = (name: string): string => TRICKS[name]?.script ?? '';

describe.concurrent('by a root agent, in a fresh sandbox, the score is not changed', () => {
  it.each(NAMES)('by %s', async (name) => {
    expect(await verdictAfter(scriptOf(name), 'separate', null)).toMatchObject({
      reward: 0,
      isolation: 'separate',
      testOutput: ENVIRONMENT,
    });
  });
});

describe.concurrent('by an agent that is not root, beside its tests, the score is not changed', () => {
  it.each(NAMES)('by %s', async (name) => {
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
