import { LongrunError } from '../core/errors.js';
import type { RunConfig } from '../core/run/run-config.schema.js';
import type { Availability, SandboxDriver } from '../sandbox/sandbox.js';

type DriverName = RunConfig['sandbox'];

/** Docker first: the one driver that isolates and limits in full. */
const AUTO: readonly DriverName[] = ['docker', 'bubblewrap'];

/** The driver to use, asked for real. Throws `sandbox_unavailable` with what each of them said. */
export async function resolveSandbox(
  wanted: DriverName | 'auto',
  probe: (name: DriverName) => Promise<Availability> = probeDriver,
): Promise<DriverName> {
  const refusals: { name: DriverName; reason: string; hint: string }[] = [];
  for (const name of wanted === 'auto' ? AUTO : [wanted]) {
    const answer = await probe(name);
    if (answer.available) return name;
    refusals.push({ name, reason: answer.reason, hint: answer.hint });
  }
  const reasons = refusals.map(({ name, reason }) => `${name}: ${reason}`).join('; ');
  throw new LongrunError('sandbox_unavailable', `There is nothing to run tools in: ${reasons}`, {
    hint: `${refusals[0]?.hint ?? ''} (longrun doctor shows what is missing)`.trim(),
    details: { tried: refusals },
  });
}

async function probeDriver(name: DriverName): Promise<Availability> {
  const driver = await loadDriver(name);
  try {
    return await driver.probe();
  } finally {
    await driver.close();
  }
}

/** The driver of that name; close it after use. */
export async function loadDriver(name: DriverName): Promise<SandboxDriver> {
  switch (name) {
    case 'docker':
      return new (await import('../sandbox/docker/index.js')).DockerDriver();
    case 'bubblewrap':
      return new (await import('../sandbox/bubblewrap/index.js')).BubblewrapDriver();
    case 'memory':
      return new (await import('../sandbox/memory/index.js')).MemoryDriver();
  }
}
