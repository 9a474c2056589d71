import { SECOND_MS } from '../../core/time.js';

/** A share that hangs answers neither with a file nor with an error. */
export const FILE_LIMIT_MS = 30 * SECOND_MS;

/** The folder of recordings did not answer in time. */
export class RecordingStalled extends Error {}

/** The outcome of work on a file, or `RecordingStalled` once it has taken too long; the work itself cannot be stopped. */
export async function withinLimit<T>(work: Promise<T>, path: string, limitMs = FILE_LIMIT_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RecordingStalled(`${path} did not answer in time`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    // Whatever it comes to later: nobody waits for it any more.
    work.catch(() => undefined);
  }
}
