import { execFileSync } from 'node:child_process';
import { until } from '../../support/until.js';

type WhenFinished = (work: () => void) => void;

const mount = (...args: string[]): void => void execFileSync('mount', args, { stdio: 'pipe' });

/** Makes a folder a mount of its own, so that it can be made read-only under whoever uses it. Needs the rights to mount. */
export function mountOnItself(folder: string, whenFinished: WhenFinished): void {
  mount('--bind', folder, folder);
  whenFinished(() => void execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' }));
}

/** A small disk of its own at an empty folder. */
export function mountDisk(folder: string, megabytes: number, whenFinished: WhenFinished): void {
  mount('-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'longrun-test', folder);
  whenFinished(() => void execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' }));
}

/** From now on nothing in it can be written; waits out whoever is writing a file at this moment. */
export async function makeReadOnly(folder: string): Promise<void> {
  await until(() => {
    try {
      mount('-o', 'remount,bind,ro', folder);
      return true;
    } catch (error) {
      if (String((error as { stderr?: unknown }).stderr).includes('busy')) return false;
      throw error;
    }
  });
}

export function makeWritable(folder: string): void {
  mount('-o', 'remount,bind,rw', folder);
}
