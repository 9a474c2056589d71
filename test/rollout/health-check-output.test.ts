import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { placeSandbox } from '../../src/rollout/place.js';
import { tempStore } from '../store/temp-store.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { planRun } from '../support/plan-run.js';
import { lifecycle, modelOf, response, rolloutDeps } from '../support/rollout-deps.js';
import { threat } from '../support/threat.js';

describe(threat('whoever reads the records', 'a secret that a sandbox printed'), () => {
  it('what a health check says is told without it', async () => {
    vi.stubEnv('HEALTH_TEST_KEY', 'key-of-the-service-41d');
    onTestFinished(() => void vi.unstubAllEnvs());
    const store = await tempStore();
    const wait = { intervalMs: 1, timeoutMs: 5_000, startPeriodMs: 0, startIntervalMs: 1, retries: 1 };
    const loaded = await inlineTask({
      taskId: 'one',
      test: answerTest('42'),
      sandbox: {
        env: { KEY: '${HEALTH_TEST_KEY}' },
        healthcheck: { command: 'echo "no answer with $KEY"; false', ...wait },
      },
    });
    await planRun(store, 'run', [loaded], { agent: 'nop', passEnv: ['HEALTH_TEST_KEY'] });
    const deps = rolloutDeps({ store, model: modelOf(() => response({})) });
    const key = { runId: 'run', taskId: 'one', sample: 0, incarnation: 1, slice: 1, maxAttempts: 1 };
    // The last of its tries, which says what is wrong instead of trying again.
    const placed = await placeSandbox(deps, key, 3, lifecycle());
    expect(placed).toMatchObject({ kind: 'failed', failure: { code: 'sandbox_failed' } });
    expect(JSON.stringify(placed)).toContain('no answer with [redacted]');
  });
});
