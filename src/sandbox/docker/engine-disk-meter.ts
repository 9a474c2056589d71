import type Dockerode from 'dockerode';
import type { DiskMeter } from './disk-watchdog.js';
import { engineStatus } from './engine-error.js';
import { KILL_ALL_SIGNAL } from './pid-one.js';

/** The engine's own word; dockerode's types do not know it. */
const WITH_SIZE: object = { size: true };

/** Measures containers by their engine, which walks the files of the writable layer: no volumes, no tmpfs. */
export function engineDiskMeter(docker: Dockerode): DiskMeter {
  return {
    async measure(id) {
      try {
        const info = (await docker.getContainer(id).inspect(WITH_SIZE)) as { SizeRw?: number };
        return info.SizeRw ?? 0;
      } catch (error) {
        if (engineStatus(error) === 404) return null;
        throw error;
      }
    },
    async endProcesses(id) {
      await docker.getContainer(id).kill({ signal: KILL_ALL_SIGNAL });
    },
  };
}
