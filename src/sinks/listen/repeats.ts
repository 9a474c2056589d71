import { AppendLog } from '../../store/append-log.js';
import { keys } from '../../store/keys.js';
import { mapBounded } from '../../store/map-bounded.js';
import type { ArtifactStore } from '../../store/store.js';
import { type Repeat, repeatSchema } from './listener.schema.js';

/** The deliveries of a run's listener that gave something out once more, the newest `most` of them. */
export async function readRepeats(store: ArtifactStore, runId: string, most = 1_000): Promise<Repeat[]> {
  const log = new AppendLog(store, repeatSchema, `${keys.sink(runId, 'listen')}/repeats`);
  const length = await log.length();
  const from = Math.max(0, length - most);
  const numbers = Array.from({ length: length - from }, (_, i) => from + i);
  const repeats: Repeat[] = [];
  for await (const { result } of mapBounded(numbers, (n) => log.read(n)))
    if (result !== null) repeats.push(result);
  return repeats;
}
