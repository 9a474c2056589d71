import { expect, onTestFinished, test, vi } from 'vitest';
import { ownIdentity } from '../../src/machine/process-identity.js';
import { stopProcess } from '../../src/temporal/server-process.js';

const looks = vi.hoisted(() => ({ left: 10_000 }));

vi.mock(import('node:timers/promises'), async (original) => {
  const actual = await original();
  const setTimeout: typeof actual.setTimeout = (ms, value, options) => {
    vi.setSystemTime(Date.now() + (ms ?? 0));
    looks.left -= 1;
    // A loop without an end would never let this test go.
    return looks.left > 0
      ? actual.setTimeout(0, value, options)
      : Promise.reject(new Error('no end in sight'));
  };
  return { ...actual, setTimeout };
});

test('a server process that cannot be killed is named instead of being waited for without end', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const signals: unknown[] = [];
  const spy = vi.spyOn(process, 'kill').mockImplementation((_, signal) => {
    signals.push(signal);
    return true;
  });
  onTestFinished(() => {
    vi.useRealTimers();
    spy.mockRestore();
  });
  await expect(stopProcess(ownIdentity())).rejects.toMatchObject({
    code: 'temporal_unreachable',
    message: expect.stringContaining(`${process.pid}`),
    retryable: true,
  });
  expect([signals[0], signals.at(-1)]).toEqual(['SIGTERM', 'SIGKILL']);
});
