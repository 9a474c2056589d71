import type { z } from 'zod';
import type { itemsSchema } from './answers.schema.js';
import type { RolloutApiDeps } from './deps.js';
import { describeItem } from './describe-item.js';
import { ItemLog } from './item-log.js';
import type { Offered } from './offered-environments.js';
import type { ItemsRequest } from './requests.schema.js';

type Deps = Pick<RolloutApiDeps, 'store' | 'run' | 'now'>;

/** The next items of an environment for a consumer, tasks in turn without an end; or those from a cursor on. */
export async function nextItems(
  deps: Deps,
  offered: Offered,
  { n, consumer, cursor }: Pick<ItemsRequest, 'n' | 'consumer' | 'cursor'>,
): Promise<z.input<typeof itemsSchema>> {
  const from = cursor ?? (await takeItems(deps, offered, consumer, n));
  const items = [];
  for (let i = 0; i < n; i++) items.push(await describeItem(deps.run, offered, from + i));
  return { environment: offered.environment.name, items, nextCursor: from + n };
}

/** Answers the position of the first. What was handed out stays so, whatever becomes of this process. */
export function takeItems(
  { store, run, now }: Deps,
  { environment, own }: Offered,
  consumer: string,
  n: number,
): Promise<number> {
  // The own environment may be a folder of any name.
  const log = new ItemLog(store, run.runId, own ? 'own' : environment.name, consumer);
  return log.take(n, now());
}
