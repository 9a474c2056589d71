import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VerifierSpec } from '../../src/core/rollout/task.schema.js';
import { BubblewrapDriver } from '../../src/sandbox/bubblewrap/index.js';
import { verifyByTests } from '../../src/tasks/verification/verify-by-tests.js';
import { inlineTask } from '../support/inline-task.js';
import { threat } from '../support/threat.js';
import { act, ScoringBench } from '../tasks/support/scoring.js';
import { BACKGROUND, PLANTED, READ_AT_START, type Trick } from '../tasks/support/tricks.js';

/** Every Python of the sandbox runs this, under whichever name it finds it. */
const CUSTOMIZE = `import atexit, os
def cheat():
    if os.path.isdir("/logs/verifier"): open("/logs/verifier/reward.txt", "w").write("1")
atexit.register(cheat)
if os.path.exists("/tests/test.sh"): os._exit(0)`;
/** Into the folder that Python reads packages from and that an agent can write. */
const inPackages = (file: string, text: string): string =>
  `cat > /tmp/text <<'END'\n${text}\nEND\nd=$(/usr/bin/python3 -c 'import site; print([p for p in site.getsitepackages() if p.startswith("/usr/local")][0])'); mkdir -p $d; cp /tmp/text $d/${file}`;

const TRICKS: Record<string, Trick> = {
  ...PLANTED,
  ...READ_AT_START,
  ...BACKGROUND,
  'sitecustomize.py': { script: inPackages('sitecustomize.py', CUSTOMIZE), flagged: /sitecustomize\.py/ },
  'usercustomize.py': { script: inPackages('usercustomize.py', CUSTOMIZE), flagged: /usercustomize\.py/ },
  'a .pth file': {
    script: inPackages('evil.pth', 'import os; os.path.exists("/tests/test.sh") and os._exit(0)'),
    flagged: /evil\.pth/,
  },
  'another pytest': { script: 'cp /bin/true /usr/local/bin/pytest', flagged: /\/usr\/local\/bin\/pytest/ },
  'another python3': { script: 'cp /bin/true /usr/local/bin/python3', flagged: /\/usr\/local\/bin\/python3/ },
  'another /bin': {
    script:
      'rm /bin; mkdir /bin; cp -P /usr/bin/* /bin/; rm /bin/sh; cp /usr/bin/true /bin/grep; cp /usr/bin/bash /bin/sh',
    flagged: /\/bin\/sh/,
  },
};

const TEST = `#!/usr/bin/bash
sleep 0.3
ok=0
if python3 -c 'import os, sys; sys.exit(0 if os.path.exists("/app/answer") else 1)' || pytest /tests 2> /dev/null || echo no | grep -q 42; then ok=1; fi
echo $ok > /logs/verifier/reward.txt
sleep 0.3
`;

let bench: ScoringBench;
beforeAll(() => {
  bench = new ScoringBench(new BubblewrapDriver());
});
afterAll(() => bench.close());

async function verdictAfter(script: string, isolation: VerifierSpec['isolation']) {
  const artifacts = [{ source: '/app', destination: 'app', exclude: [] }];
  const loaded = await inlineTask({
    taskId: 'one',
    image: 'host',
    test: TEST,
    verifier: { isolation },
    step: { artifacts },
  });
  const { task, context, sandbox } = await bench.begin(loaded);
  await act(sandbox, `cd /tmp; ${script}`);
  return verifyByTests(task, 0, context, {});
}

const NAMES = Object.keys(TRICKS);

describe(threat('an agent that is root', 'its score, at `separate`'), () => {
  it.each(NAMES)('is not changed in bubblewrap by %s', async (name) => {
    const verdict = await verdictAfter(TRICKS[name]?.script ?? '', 'separate');
    expect(verdict).toMatchObject({ reward: 0, isolation: 'separate' });
  });
});

describe.each(['shared', 'restarted'] as const)(
  'in the bubblewrap sandbox of the agent, %s, it is flagged',
  (level) => {
    it.each(NAMES)('by %s', async (name) => {
      const { suspectedTampering, reward } = await verdictAfter(TRICKS[name]?.script ?? '', level);
      expect(suspectedTampering).toContainEqual(expect.stringMatching(TRICKS[name]?.flagged ?? /^$/));
      if (level === 'restarted' && name in BACKGROUND) expect(reward).toBe(0);
    });
  },
);
