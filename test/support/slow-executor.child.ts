import { LongrunError } from '../../src/core/errors.js';
import type { AttemptKey } from '../../src/core/ids.js';
import { placeSandbox } from '../../src/rollout/place.js';
import { runSlice } from '../../src/rollout/turns/slice.js';
import { MemoryDriver } from '../../src/sandbox/memory/index.js';
import { runExec } from '../../src/sandbox/run-exec.js';
import { openStore } from '../../src/store/index.js';
import { lifecycle, modelOf, response, rolloutDeps } from './rollout-deps.js';

/** Executes an attempt and gets its model's answer when the test says so. Argument: the state folder. */
const [stateDir = ''] = process.argv.slice(2);
const store = await openStore(stateDir);
const driver = new MemoryDriver();
const model = modelOf(async () => {
  console.log('calling');
  while ((await store.get('answer-now')) === null) await new Promise((resolve) => setTimeout(resolve, 10));
  return response({ run: 'echo effect > /app/effects' });
});
const deps = rolloutDeps({ store, driver, model });
const key: AttemptKey = { runId: 'run', taskId: 'one', sample: 0, attempt: 1 };
await placeSandbox(deps, { ...key, incarnation: 1, slice: 1, maxAttempts: 1 }, 1, lifecycle());
const ended = await runSlice(
  deps,
  key,
  0,
  { incarnation: 1, slice: 2, activityAttempt: 1 },
  lifecycle(),
).catch((error: unknown) => error);
const [info] = await driver.list('tests');
const sandbox = info ? await driver.adopt(info.ref) : null;
if (sandbox === null) throw new Error('there is no sandbox');
const request = {
  script: 'cat /app/effects 2>/dev/null',
  cwd: null,
  env: {},
  user: null,
  timeoutMs: 5_000,
  outputLimitBytes: 999,
  stdin: null,
};
const seen = await runExec(sandbox, request, new AbortController().signal);
const code = LongrunError.is(ended) ? ended.code : null;
console.log(JSON.stringify({ code, effects: Buffer.from(seen.output.head).toString('utf8') }));
