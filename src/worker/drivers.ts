import { join } from 'node:path';
import type { Logger } from 'pino';
import type { DockerDriver } from '../sandbox/docker/index.js';
import type { SandboxDriver } from '../sandbox/sandbox.js';

/** In the state folder: when which image was last used. */
const IMAGE_USE_FOLDER = 'image-use';

/** The sandbox drivers that work on this machine, asked for real. */
export async function availableDrivers(
  stateDir: string,
  installation: string,
  logger: Logger,
): Promise<Map<string, SandboxDriver>> {
  const drivers = await allDrivers(stateDir, installation);
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

/** The one driver whose sandboxes outlive the process that made them. */
export async function dockerDriver(stateDir: string, installation: string | null): Promise<DockerDriver> {
  const { DockerDriver } = await import('../sandbox/docker/index.js');
  const useFolder = join(stateDir, IMAGE_USE_FOLDER);
  return new DockerDriver(installation === null ? {} : { images: { installation, useFolder } });
}

async function allDrivers(stateDir: string, installation: string): Promise<SandboxDriver[]> {
  const [docker, { BubblewrapDriver }, { MemoryDriver }] = await Promise.all([
    dockerDriver(stateDir, installation),
    import('../sandbox/bubblewrap/index.js'),
    import('../sandbox/memory/index.js'),
  ]);
  return [docker, new BubblewrapDriver(), new MemoryDriver()];
}
