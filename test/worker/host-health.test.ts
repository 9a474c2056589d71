import { expect, onTestFinished, test, vi } from 'vitest';
import { HostHealth } from '../../src/worker/host-health.js';

type Parts = ConstructorParameters<typeof HostHealth>;

const CLIENT = {
  withDeadline: (_: number, ask: () => Promise<unknown>) => ask(),
  workflowService: { getSystemInfo: async () => ({}) },
} as unknown as Parts[1];

/** A host whose engine answers when the test says so. */
function startHost() {
  const asked: (() => void)[] = [];
  const list = () => new Promise<never[]>((resolve) => asked.push(() => resolve([])));
  const parts = {
    store: { get: async () => null },
    drivers: new Map([['docker', { list }]]),
    clusterId: 'one',
  };
  return { health: new HostHealth(parts as unknown as Parts[0], CLIENT), asked };
}

test('an engine that hangs holds one question, however often the health of its host is asked', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { health, asked } = startHost();
  for (let round = 0; round < 3; round += 1) {
    const checks = health.check(true);
    await vi.runAllTimersAsync();
    expect(await checks).toMatchObject({
      workers: null,
      temporal: null,
      store: null,
      engine: expect.stringContaining('no answer'),
    });
  }
  expect(asked).toHaveLength(1);
  asked[0]?.();
  await vi.runAllTimersAsync();
  const checks = health.check(true);
  asked[1]?.();
  expect(await checks).toMatchObject({ engine: null });
});

test('an engine whose connection broke without a word is asked anew after a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { health, asked } = startHost();
  const hanging = health.check(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await hanging).engine).toContain('no answer');
  const checks = health.check(true);
  asked[1]?.();
  expect(await checks).toMatchObject({ engine: null });
});
