import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { DiskWatchdog } from '../../../src/sandbox/docker/disk-watchdog.js';
import { DockerSandbox } from '../../../src/sandbox/docker/docker-sandbox.js';
import { engineDiskMeter } from '../../../src/sandbox/docker/engine-disk-meter.js';
import { type EngineDouble, say, startEngineDouble } from './support/engine-double.js';

const ID = 'c0ffee';
const USER = { user: '', workdir: '/' };
const LOOKS_AT_MOST = 60;
const waits = vi.hoisted(() => ({ ms: [] as number[], mayGoOn: (): boolean => true }));

vi.mock(import('node:timers/promises'), async (original) => {
  const actual = await original();
  const setTimeout: typeof actual.setTimeout = (ms, value, options) => {
    waits.ms.push(ms ?? 0);
    return waits.mayGoOn() ? actual.setTimeout(0, value, options) : new Promise(() => undefined);
  };
  return { ...actual, setTimeout };
});

beforeEach(() => {
  waits.ms.length = 0;
  waits.mayGoOn = () => true;
});

function sandboxOf({ docker }: EngineDouble): DockerSandbox {
  const watchdog = new DiskWatchdog(engineDiskMeter(docker));
  const connection = { network: null, complete: true };
  return new DockerSandbox(docker, { driver: 'docker', id: ID }, USER, watchdog, connection);
}

test('a sandbox whose removal is stuck in the engine is left to a later round', async () => {
  const engine = await startEngineDouble({
    answer: (request, response) =>
      request.startsWith('DELETE')
        ? say(response, 409, { message: `removal of container ${ID} is already in progress` })
        : say(response, 200, { Id: ID }),
  });
  waits.mayGoOn = () => waits.ms.length < LOOKS_AT_MOST;
  const removal = sandboxOf(engine).destroy();
  await expect(Promise.race([removal, tooManyLooks()])).rejects.toMatchObject({
    code: 'sandbox_failed',
    retryable: true,
    message: expect.stringContaining(ID),
  });
  // It looks less and less often.
  expect(waits.ms).toEqual([...waits.ms].sort((a, b) => a - b));
});

test('a removal that another process brings to its end is one', async () => {
  let looks = 0;
  const engine = await startEngineDouble({
    answer: (request, response) => {
      if (request.startsWith('DELETE')) return say(response, 409, { message: 'removal is in progress' });
      looks += 1;
      return looks < 4
        ? say(response, 200, { Id: ID })
        : say(response, 404, { message: 'no such container' });
    },
  });
  await expect(sandboxOf(engine).destroy()).resolves.toBeUndefined();
});

test('an engine that never answers a removal is not waited for without end', async () => {
  const limit = new AbortController();
  const engine = await startEngineDouble({ answer: () => limit.abort(new Error('time is over')) });
  const spy = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
  onTestFinished(() => spy.mockRestore());
  await expect(sandboxOf(engine).destroy()).rejects.toMatchObject({ retryable: true });
});

/** Rejects once the sandbox has looked for its container more often than anybody would wait. */
async function tooManyLooks(): Promise<never> {
  await vi.waitUntil(() => waits.ms.length >= LOOKS_AT_MOST, { timeout: 60_000 });
  throw new Error(`still waiting after ${waits.ms.length} looks`);
}
