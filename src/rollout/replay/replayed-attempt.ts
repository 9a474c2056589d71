import type { AttemptKey } from '../../core/ids.js';
import type { Task } from '../../core/rollout/task.schema.js';
import { keys } from '../../store/keys.js';
import { readRecord } from '../../store/records/records.js';
import { placementSchema, toolResultSchema } from '../../store/records/records.schema.js';
import type { ReplayDifference, Replayed } from '../../store/records/replay.schema.js';
import { provenanceOf } from '../../store/replays.js';
import type { ArtifactStore } from '../../store/store.js';
import { readStepHistory } from '../turns/step-history.js';

/** What is shown of an output that differs. */
const SHOWN_CHARS = 2_000;

/** Where an attempt comes from and how its source's commands went this time; null for one that is no replay. */
export async function replayedAttempt(
  store: ArtifactStore,
  key: AttemptKey,
  task: Task,
): Promise<Replayed | null> {
  const provenance = await provenanceOf(store, key);
  if (provenance === null) return null;
  const { replayId, mode, nth, source, fromTurn } = provenance;
  const of = { replayId, mode, nth, source, fromTurn };
  const placement = await readRecord(store, placementSchema, keys.placement(key));
  if (fromTurn === null || placement === null)
    return { ...of, by: null, commands: 0, differences: 0, firstDifference: null };
  const by = placement.fromSnapshot ? 'snapshot' : 'commands';
  return { ...of, by, ...(await compare(store, key, task)) };
}

/** Recorded outputs beside those of this attempt, byte by byte: nothing is normalised. */
async function compare(
  store: ArtifactStore,
  key: AttemptKey,
  task: Task,
): Promise<Pick<Replayed, 'commands' | 'differences' | 'firstDifference'>> {
  let [commands, differences, turnsBefore] = [0, 0, 0];
  let firstDifference: ReplayDifference | null = null;
  for (const [step, { name }] of task.evalCriteria.steps.entries()) {
    const { turns } = await readStepHistory(store, key, step);
    for (const [turn, { call, results }] of turns.entries()) {
      if (call.carried !== true) break;
      for (const [i, recorded] of results.entries()) {
        const found = await readRecord(store, toolResultSchema, keys.toolReplayed(key, step, turn, i));
        if (found === null) continue;
        commands += 1;
        if (found.content === recorded.content && found.exitCode === recorded.exitCode) continue;
        differences += 1;
        firstDifference ??= {
          step: name,
          turn: turnsBefore + turn + 1,
          call: i + 1,
          tool: recorded.name,
          recorded: recorded.content.slice(0, SHOWN_CHARS),
          found: found.content.slice(0, SHOWN_CHARS),
        };
      }
    }
    turnsBefore += turns.length;
  }
  return { commands, differences, firstDifference };
}
