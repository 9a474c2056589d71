import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { LongrunError } from '../core/errors.js';
import { type ProcessLock, tryAcquire } from '../machine/process-lock.js';

/** Takes the right to write to a folder, for the life of this process. Errors: `already_exists` while another has it. */
export function lockOutput(stateDir: string, folder: string): ProcessLock<{ folder: string }> {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  // Not in the folder itself, which holds data only.
  const lock = tryAcquire(join(stateDir, 'outputs', name), { folder });
  if (!('heldBy' in lock)) return lock;
  throw new LongrunError(
    'already_exists',
    `process ${lock.heldBy.holder.pid} of another terminal writes to ${folder}`,
    {
      hint: 'Its rows are complete when it ends; or choose another --output.',
    },
  );
}
