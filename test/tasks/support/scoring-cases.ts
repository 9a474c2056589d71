// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of task.toml
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '../../../src/core/rollout/task.schema.js';
import type { Sandbox, SandboxDriver } from '../../../src/sandbox/sandbox.js';
import type { Verdict } from '../../../src/store/records/records.schema.js';
import type { LoadedTask } from '../../../src/tasks/environment.js';
import { loadHarborTask } from '../../../src/tasks/harbor/load-task.js';
import { verifyByTests } from '../../../src/tasks/verification/verify-by-tests.js';
import { act, blobOf, ScoringBench, type ScoringContext, solve } from './scoring.js';
import { writeTask } from './task-folder.js';

export const fixture = (name: string): Promise<LoadedTask> =>
  loadHarborTask(join(import.meta.dirname, '../../fixtures/harbor', name));

const TOML = '[environment]\nnetwork_mode = "no-network"\nworkdir = "/app"\n';

/** A task whose tests are this script. */
export async function taskWith(
  test: string,
  toml = '',
  dockerfile = '',
  shebang = '#!/bin/sh',
): Promise<LoadedTask> {
  const dir = await writeTask({
    'task.toml': `${toml}\n${TOML}`,
    'environment/Dockerfile': `FROM debian:bookworm-slim\nWORKDIR /app\n${dockerfile}`,
    'tests/test.sh': `${shebang}\n${test}\n`,
  });
  return loadHarborTask(dir);
}

export const solveFixture = (sandbox: Sandbox, loaded: LoadedTask): Promise<void> =>
  solve(sandbox, loaded, 0);

const verify = (task: Task, context: ScoringContext, step = 0, hostEnv = {}): Promise<Verdict> =>
  verifyByTests(task, step, context, hostEnv);

/** What verification has to do over any sandbox. */
export function describeVerification(name: string, makeDriver: () => SandboxDriver): void {
  describe(`verification over the ${name} sandbox`, () => {
    let bench: ScoringBench;
    beforeAll(() => {
      bench = new ScoringBench(makeDriver());
    });
    afterAll(() => bench.close());

    it('gives the oracle of a task 1 and an agent that did nothing 0', async () => {
      const loaded = await fixture('hello-file');
      const idle = await bench.begin(loaded);
      const nothing = await verify(loaded.task, idle.context);
      expect(nothing).toMatchObject({ reward: 0, stopReason: null, isolation: 'shared', step: 'main' });
      expect(nothing.testOutput).toContain('there is no /app/greeting.txt');
      const { context, sandbox } = await bench.begin(loaded);
      await solve(sandbox, loaded, 0);
      expect(await verify(loaded.task, context)).toMatchObject({
        reward: 1,
        rewards: { reward: 1 },
        failure: null,
        suspectedTampering: [],
      });
    });

    it('scores each step of a task by its own tests over the shared ones', async () => {
      const loaded = await fixture('two-steps');
      const { context, sandbox, task } = await bench.begin(loaded);
      const { workdirFiles } = task.evalCriteria.steps[0] as Task['evalCriteria']['steps'][number];
      if (workdirFiles === null) throw new Error('the first step brings files');
      await sandbox.putArchive('/app', await blobOf(loaded, workdirFiles));
      await act(sandbox, 'echo wrong > /app/count.txt');
      const first = await verify(task, context);
      expect(first).toMatchObject({ step: 'count', reward: 0.5, rewards: { reward: 0.5, checks: 2 } });
      const second = await bench.begin(loaded);
      await second.sandbox.putArchive('/app', await blobOf(loaded, workdirFiles));
      await solve(second.sandbox, loaded, 1);
      expect(await verify(task, second.context, 1)).toMatchObject({ step: 'report', reward: 1 });
    });

    it('never lets what was planted before count, and says that it was there', async () => {
      const loaded = await taskWith('cat /tests/*.txt; ls /logs/verifier');
      const { context, sandbox, task } = await bench.begin(loaded);
      await act(
        sandbox,
        'mkdir -p /tests /logs/verifier; echo 1 > /logs/verifier/reward.txt; echo x > /tests/a.txt',
      );
      const verdict = await verify(task, context);
      expect(verdict).toMatchObject({
        reward: null,
        stopReason: 'verifier_error',
        failure: { retryable: false },
      });
      expect(verdict.failure?.message).toContain('neither reward.json nor reward.txt');
      expect(verdict.testOutput).not.toContain('reward.txt');
      expect(verdict.suspectedTampering).toEqual(
        expect.arrayContaining(['added /logs/verifier/reward.txt', 'added /tests/a.txt']),
      );
    });

    it('does not follow links that the agent put in the way', async () => {
      const loaded = await taskWith('echo 1 > /logs/verifier/reward.txt');
      const { context, sandbox, task } = await bench.begin(loaded);
      await act(
        sandbox,
        'mkdir -p /srv/mine; rm -rf /logs /tests; ln -s /srv/mine /logs; ln -s /srv/mine /tests',
      );
      expect(await verify(task, context)).toMatchObject({ reward: 1 });
      expect(await act(sandbox, 'ls -A /srv/mine')).toBe('');
    });

    it('takes the reward whatever the exit code of the tests, and keeps the end of their output', async () => {
      const loaded =
        await taskWith(`awk 'BEGIN { for (i = 0; i < 9000; i++) print "line " i " of the tests" }'
        echo 0.5 > /logs/verifier/reward.txt; exit 7`);
      const { context, task } = await bench.begin(loaded);
      const verdict = await verify(task, context);
      expect(verdict.reward).toBe(0.5);
      expect(verdict.testOutput.endsWith('line 8999 of the tests\n')).toBe(true);
      expect(Buffer.byteLength(verdict.testOutput)).toBeLessThanOrEqual(64 * 1024);
    });

    it('ends tests that run too long without a reward, though they wrote one', async () => {
      const loaded = await taskWith(
        'echo 1 > /logs/verifier/reward.txt; echo begun; sleep 30',
        '[verifier]\ntimeout_sec = 60',
      );
      const { context, task } = await bench.begin(loaded);
      context.timeoutMultiplier = 0.01;
      const verdict = await verify(task, context);
      expect(verdict).toMatchObject({
        reward: null,
        rewards: {},
        stopReason: 'verifier_timeout',
        failure: { code: 'verifier_timeout', retryable: false },
      });
    });

    it('takes a reward that is a link for a broken verifier', async () => {
      const loaded = await taskWith('echo 1 > /app/one; ln -s /app/one /logs/verifier/reward.txt');
      const { context, task } = await bench.begin(loaded);
      const verdict = await verify(task, context);
      expect(verdict).toMatchObject({
        reward: null,
        stopReason: 'verifier_error',
        failure: { retryable: false },
      });
    });

    it('gives the tests their environment and keeps host secrets out of the verdict', async () => {
      const toml = '[verifier.env]\nJUDGE = "key-${JUDGE_KEY}"\nWHO = "${NOBODY:-me}"';
      const hostEnv = { JUDGE_KEY: 'sk-very-secret' };
      const loaded = await taskWith('echo "$JUDGE $WHO"; echo "$JUDGE" > /logs/verifier/reward.txt', toml);
      const { context, task } = await bench.begin(loaded);
      const verdict = await verify(task, context, 0, hostEnv);
      expect(verdict.testOutput).toContain('key-[redacted] me');
      expect(JSON.stringify(verdict)).not.toContain('sk-very-secret');
    });

    it('keeps them out of the names of rewards, which the tests choose', async () => {
      const test = `printf '{"reward": 1, "%s": 0.5}' "$JUDGE" > /logs/verifier/reward.json`;
      const { context, task } = await bench.begin(
        await taskWith(test, '[verifier.env]\nJUDGE = "${JUDGE_KEY}"'),
      );
      const verdict = await verify(task, context, 0, { JUDGE_KEY: 'sk-very-secret' });
      expect(verdict.rewards).toEqual({ reward: 1, '[redacted]': 0.5 });
    });

    it('says which host variable is missing instead of scoring without it', async () => {
      const loaded = await taskWith('true', '[verifier.env]\nK = "${JUDGE_KEY}"');
      const { context, task } = await bench.begin(loaded);
      const verdict = await verify(task, context);
      expect(verdict).toMatchObject({
        reward: null,
        stopReason: 'verifier_error',
        failure: { retryable: false },
      });
      expect(verdict.failure?.message).toContain('JUDGE_KEY');
    });

    it('scores in a fresh sandbox with the declared artifacts only, where the task says so', async () => {
      const loaded = await fixture('sealed-verifier');
      const { context, sandbox, task } = await bench.begin(loaded);
      await solve(sandbox, loaded, 0);
      await act(sandbox, 'echo x > /app/out/scratch.tmp; mkdir -p /tests; echo 1 > /tests/planted');
      const verdict = await verify(task, context);
      expect(verdict).toMatchObject({ reward: 1, isolation: 'separate', suspectedTampering: [] });
      expect(verdict.testOutput).toContain('upper.txt');
      const fresh = await context.separateSandbox(null);
      expect(await act(fresh, 'ls /app/out; ls /tests')).toBe(
        'upper.txt\nDockerfile\nexpected.txt\ntest.sh\nwords.txt\n',
      );
    });

    it('sees what the agent deleted from an artifact, though the image has it', async () => {
      const toml = 'artifacts = ["/app"]\n[verifier]\nenvironment_mode = "separate"';
      const loaded = await taskWith(
        'if [ -e /app/old.txt ]; then echo 0; else cat /app/new.txt; fi > /logs/verifier/reward.txt',
        toml,
        'RUN echo x > /app/old.txt\n',
      );
      const { context, sandbox, task } = await bench.begin(loaded);
      await act(sandbox, 'rm /app/old.txt; echo 0.5 > /app/new.txt');
      expect(await verify(task, context)).toMatchObject({ reward: 0.5, isolation: 'separate' });
    });

    it('does not let an artifact that is a link pass for the answer', async () => {
      const loaded = await fixture('sealed-verifier');
      const { context, sandbox, task } = await bench.begin(loaded);
      await act(sandbox, 'ln -s /tests/expected.txt /app/out/upper.txt');
      expect(await verify(task, context)).toMatchObject({ reward: 0 });
    });

    it('goes on where an executor died, without running the tests twice', async () => {
      const loaded = await taskWith('echo run >> /app/runs; echo 1 > /logs/verifier/reward.txt');
      const { context, sandbox, task } = await bench.begin(loaded);
      let effects = 0;
      context.onGuard = () => {
        effects += 1;
        if (effects === 2) throw new Error('killed');
      };
      await expect(verify(task, context)).rejects.toThrow('killed');
      expect(await verify(task, context)).toMatchObject({ reward: 1, suspectedTampering: [] });
      expect(await verify(task, context)).toMatchObject({ reward: 1 });
      expect(await act(sandbox, 'cat /app/runs')).toBe('run\n');
    });

    it('lets a sandbox that is gone be what it is: no verdict', async () => {
      const loaded = await fixture('hello-file');
      const { context, sandbox, task } = await bench.begin(loaded);
      await sandbox.destroy();
      await expect(verify(task, context)).rejects.toMatchObject({ code: 'sandbox_gone' });
    });
  });
}
