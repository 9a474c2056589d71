import { describe, expect, it } from 'vitest';
import { resolveSandbox } from '../../src/runs/resolve-sandbox.js';
import type { Availability } from '../../src/sandbox/sandbox.js';

const machine =
  (...available: string[]) =>
  async (name: string): Promise<Availability> =>
    available.includes(name)
      ? { available: true, detail: name }
      : { available: false, reason: `no ${name} here`, hint: `Install ${name}` };

describe('the sandbox of a run', () => {
  it.each([
    ['auto', ['docker', 'bubblewrap'], 'docker'],
    ['auto', ['bubblewrap'], 'bubblewrap'],
    ['bubblewrap', ['docker', 'bubblewrap'], 'bubblewrap'],
    ['memory', ['memory'], 'memory'],
  ] as const)('%s on a machine with %j is %s', async (wanted, available, found) => {
    expect(await resolveSandbox(wanted, machine(...available))).toBe(found);
  });

  it('is refused by name where there is none, with what to do', async () => {
    await expect(resolveSandbox('auto', machine())).rejects.toMatchObject({
      code: 'sandbox_unavailable',
      message: expect.stringMatching(/docker: no docker here; bubblewrap: no bubblewrap here/),
      hint: expect.stringContaining('Install docker'),
      exitCode: 1,
    });
  });

  it('never falls back when one was asked for', async () => {
    await expect(resolveSandbox('docker', machine('bubblewrap'))).rejects.toMatchObject({
      code: 'sandbox_unavailable',
    });
  });
});
