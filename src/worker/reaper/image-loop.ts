import type { ActivityDeps } from '../../../activities/activity-deps.js';
import { MINUTE_MS } from '../../core/time.js';
import { isDiskShort } from '../../sandbox/disk-watermark.js';
import type { ImageKeeper } from '../../sandbox/image-keeper.js';
import { reapImages } from '../../sandbox/reap-images.js';
import { keys } from '../../store/keys.js';
import { type Rounds, startRounds } from '../rounds.js';

const ROUND_MS = MINUTE_MS;

export interface ImageHousekeeping {
  stateDir: string;
  /** Bytes to keep free; 0 = never remove images for it; null = as it suits the disk. */
  diskKeepFree: number | null;
}

/** Looks every minute after the images that this installation made on this host. */
export function startImageHousekeeping(deps: ActivityDeps, options: ImageHousekeeping): Rounds {
  const keepers = [...deps.drivers.values()].flatMap(({ imageKeeper }) => imageKeeper ?? []);
  const onFailed = (error: unknown) =>
    deps.logger.warn({ err: error }, 'images are not looked after in this round');
  const round = async () => {
    // An engine that does not answer keeps nobody from looking after the next one.
    for (const keeper of keepers) await imageRound(deps, keeper, options).catch(onFailed);
  };
  return startRounds(ROUND_MS, round, onFailed);
}

async function imageRound(
  deps: ActivityDeps,
  keeper: ImageKeeper,
  { stateDir, diskKeepFree }: ImageHousekeeping,
): Promise<void> {
  const dataRoot = await keeper.dataRoot();
  // Of an engine elsewhere only what the state folder shows is known.
  const folders = dataRoot === null ? [stateDir] : [stateDir, dataRoot];
  await reapImages({
    keeper,
    now: deps.now,
    isDiskShort: () => isDiskShort(folders, diskKeepFree),
    hasRun: (runId) => deps.store.has(keys.run(runId)).catch(() => null),
    onRemoved: ({ name }, reason) => deps.logger.info({ image: name, reason }, 'image removed'),
  });
}
