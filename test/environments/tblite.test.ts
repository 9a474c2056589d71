import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveEnvironment } from '../../environments/resolve-environment.js';
import { answering, nop, oracle, TbliteBench } from './tblite-bench.js';

const TASKS = fileURLToPath(new URL('../../environments/tblite/tasks', import.meta.url));
const WRONG = fileURLToPath(new URL('./tblite-wrong-answers', import.meta.url));
const taskIds = readdirSync(TASKS).sort();

let bench: TbliteBench;
beforeAll(async () => {
  bench = await TbliteBench.open();
});
afterAll(() => bench.close());

test('tblite has four tasks in each of its three categories, all verified apart from the agent', async () => {
  const categories: Record<string, number> = {};
  const environment = await resolveEnvironment('tblite');
  for await (const { task } of environment.items(null)) {
    const category = task.metadata.category ?? 'none';
    categories[category] = (categories[category] ?? 0) + 1;
    expect(task.evalCriteria.steps.map((step) => step.verifier.isolation)).toEqual(['separate']);
    expect(task.metadata.sandbox.network).toBe('none');
  }
  expect(categories).toEqual({ file_ops: 4, shell_scripting: 4, system_admin: 4 });
});

describe.concurrent('each task tells right from wrong in a real container', () => {
  test.for(taskIds)('%s: its solution scores 1', async (taskId) => {
    const verdict = await bench.score(taskId, oracle);
    expect(verdict.reward, verdict.testOutput).toBe(1);
  });

  test.for(taskIds)('%s: doing nothing scores 0', async (taskId) => {
    const verdict = await bench.score(taskId, nop);
    expect(verdict.reward, verdict.testOutput).toBe(0);
  });

  const wrong = taskIds.flatMap((taskId) => [1, 2, 3].map((n) => ({ taskId, n, ...wrongAnswer(taskId, n) })));
  test.for(wrong)('$taskId, wrong answer $n scores below 1: $why', async ({ taskId, script }) => {
    const verdict = await bench.score(taskId, answering(script));
    expect(verdict.reward, verdict.testOutput).not.toBeNull();
    expect(verdict.reward, verdict.testOutput).toBeLessThan(1);
  });
});

/** Its first line says what is wrong with it. */
function wrongAnswer(taskId: string, n: number): { script: string; why: string } {
  const script = readFileSync(`${WRONG}/${taskId}/${n}.sh`, 'utf8');
  return { script, why: script.split('\n', 1)[0]?.replace(/^# /, '') ?? '' };
}
