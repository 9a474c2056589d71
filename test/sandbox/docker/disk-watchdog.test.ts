import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { type DiskMeter, DiskWatchdog } from '../../../src/sandbox/docker/disk-watchdog.js';

const LOOPS_AT_MOST = 100;
const waits = vi.hoisted(() => ({ count: 0 }));

vi.mock(import('node:timers/promises'), async (original) => {
  const actual = await original();
  const setTimeout: typeof actual.setTimeout = (ms, value, options) => {
    waits.count += 1;
    // A loop that never really waits would leave no turn to this test.
    return waits.count > LOOPS_AT_MOST ? new Promise(() => undefined) : actual.setTimeout(ms, value, options);
  };
  return { ...actual, setTimeout };
});

/** A meter whose answers come when the test says so. */
class HeldMeter implements DiskMeter {
  readonly measured: string[] = [];
  private readonly answers: (() => void)[] = [];

  measure(containerId: string): Promise<number> {
    this.measured.push(containerId);
    return new Promise((resolve) => this.answers.push(() => resolve(0)));
  }

  async endProcesses(): Promise<void> {}

  answer(): void {
    for (const give of this.answers.splice(0)) give();
  }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}

test('a sandbox that is made while its driver closes does not keep the process busy', async () => {
  const meter = new HeldMeter();
  const watchdog = new DiskWatchdog(meter, 20);
  watchdog.watch('first', 1_000);
  await vi.waitFor(() => expect(meter.measured).toEqual(['first']));
  watchdog.close();
  watchdog.watch('late', 1_000);
  meter.answer();
  await turns(50);
  expect(waits.count).toBeLessThan(LOOPS_AT_MOST);
  expect(meter.measured).toEqual(['first']);
});
