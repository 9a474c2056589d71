import type { AttemptKey } from '../core/ids.js';
import type { RecordedTurn } from '../formats/trajectory.js';
import { keys } from '../store/keys.js';
import { gatherBounded } from '../store/map-bounded.js';
import { readChildren } from '../store/records/records.js';
import { callRecordSchema, toolResultSchema } from '../store/records/records.schema.js';
import type { ArtifactStore } from '../store/store.js';

const PARALLEL_TURNS = 8;

/** The recorded turns of one step; the last one may lack results that are still to come. */
export async function readTurns(
  store: ArtifactStore,
  key: AttemptKey,
  step: number,
): Promise<RecordedTurn[]> {
  const calls = await readChildren(store, callRecordSchema, keys.turns(key, step), 'call.json');
  const withResults = async ({ name, value: call }: (typeof calls)[number]): Promise<RecordedTurn> => {
    const tools = `${keys.turns(key, step)}/${name}/tools`;
    const results = await readChildren(store, toolResultSchema, tools, 'result.json');
    // Names sort as text: call 10 comes before call 2.
    results.sort((a, b) => Number(a.name) - Number(b.name));
    return { call, results: results.map((child) => child.value) };
  };
  // A few at a time: each reads as many results as it has.
  return gatherBounded(calls, withResults, PARALLEL_TURNS);
}
