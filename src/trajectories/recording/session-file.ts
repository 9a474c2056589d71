import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Recording } from '../../core/run/recording.schema.js';
import { effectiveReward } from '../../core/trajectory/effective-reward.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import { traceFile, traceRow } from '../../formats/atropos-v1/atropos-v1-format.js';
import { turnTraces } from '../../formats/atropos-v1/turn-traces.js';
import { pythonJson } from '../../formats/python-json.js';
import { errnoOf } from '../../store/filesystem/store-error.js';
import { sha256 } from '../digest.js';
import { makeFolder } from './make-folder.js';
import { withinLimit } from './within-limit.js';

/** What became of a session: written, or why it was left out. */
export type SessionOutcome = 'written' | 'too_short' | 'without_tool_calls';

/** Writes the turns of an episode to `traj_<session_id>.jsonl`, as the recording asks; writing it again changes nothing. */
export async function writeSession(
  folder: string,
  episode: Episode,
  recording: Recording,
): Promise<SessionOutcome> {
  const record = {
    reasoning: recording.recordReasoning,
    toolCalls: recording.recordToolCalls,
    systemPrompt: recording.recordSystemPrompt,
  };
  const traces = turnTraces(episode, { sha256, reward: effectiveReward(episode.rewards), record });
  if (traces.length < recording.minTurnCount) return 'too_short';
  if (recording.requireToolCalls && traces.every(({ tool_calls: calls }) => calls.length === 0))
    return 'without_tool_calls';
  const lines = traces.map((trace) => `${pythonJson(traceRow(trace))}\n`);
  await placeFile(join(folder, traceFile(episode.sessionId)), lines.join(''));
  return 'written';
}

/** Whole or not at all; its folder is made when it turns out to be missing. Errors: `RecordingStalled`. */
export function placeFile(path: string, text: string): Promise<void> {
  return withinLimit(place(path, text), path);
}

async function place(path: string, text: string): Promise<void> {
  const partial = join(dirname(path), `.${randomUUID()}.partial`);
  try {
    try {
      await writeFile(partial, text);
    } catch (cause) {
      if (errnoOf(cause) !== 'ENOENT') throw cause;
      await makeFolder(dirname(path));
      await writeFile(partial, text);
    }
    await rename(partial, path);
  } catch (cause) {
    await rm(partial, { force: true });
    throw cause;
  }
}
