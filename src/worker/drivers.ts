import type { Logger } from 'pino';
import type { SandboxDriver } from '../sandbox/sandbox.js';

/** The sandbox drivers that work on this machine, asked for real. */
export async function availableDrivers(
  stateDir: string,
  logger: Logger,
): Promise<Map<string, SandboxDriver>> {
  const drivers = await allDrivers(stateDir);
  const found = new Map<string, SandboxDriver>();
  await Promise.all(
    drivers.map(async (driver) => {
      const answer = await driver.probe();
      if (answer.available) found.set(driver.name, driver);
      else {
        logger.debug({ driver: driver.name, reason: answer.reason }, 'sandbox driver not available');
        await driver.close();
      }
    }),
  );
  return found;
}

async function allDrivers(_stateDir: string): Promise<SandboxDriver[]> {
  const [{ DockerDriver }, { BubblewrapDriver }, { MemoryDriver }] = await Promise.all([
    import('../sandbox/docker/index.js'),
    import('../sandbox/bubblewrap/index.js'),
    import('../sandbox/memory/index.js'),
  ]);
  return [new DockerDriver(), new BubblewrapDriver(), new MemoryDriver()];
}
