import type { Logger } from 'pino';
import type { HostLedgers } from '../../core/host/host-ledgers.js';
import { SECOND_MS } from '../../core/time.js';
import { checkFreeSpace } from '../../store/index.js';
import { type Rounds, startRounds } from '../rounds.js';

const ROUND_MS = 2 * SECOND_MS;
const MEBIBYTE = 1024 ** 2;

export interface DiskGuardOptions {
  /** Holds the records, and the database of an embedded server. */
  stateDir: string;
  ledgers: HostLedgers;
  logger: Logger;
}

/** Takes no new rollout while the disk is nearly full: those that run must still be able to write their records. */
export async function startDiskGuard({ stateDir, ledgers, logger }: DiskGuardOptions): Promise<Rounds> {
  let short = false;
  const look = async () => {
    const { freeBytes, watermarkBytes, enough } = await checkFreeSpace(stateDir);
    if (enough !== short) return;
    short = !enough;
    ledgers.close(short);
    const space = {
      freeMb: Math.floor(freeBytes / MEBIBYTE),
      reserveMb: Math.ceil(watermarkBytes / MEBIBYTE),
    };
    if (short)
      logger.warn(
        { ...space, stateDir },
        'the disk is nearly full: no new rollouts until some space is freed',
      );
    else logger.warn(space, 'there is room on the disk again: rollouts are started');
  };
  const onFailed = (error: unknown) => logger.debug({ err: error }, 'the disk could not be measured');
  await look().catch(onFailed);
  return startRounds(ROUND_MS, look, onFailed);
}
