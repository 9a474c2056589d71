import type { Episode, EpisodeTurn } from '../core/trajectory/episode.schema.js';
import { REWARD_QUALITY, type RewardSource } from '../core/trajectory/reward-signal.schema.js';
import type { Trajectory } from '../core/trajectory/trajectory.schema.js';
import type { ImportFormatName, RowPlace } from './import-format.js';

/** What a row of another format says; what is left out is not known. */
export interface ImportedFacts
  extends Partial<Omit<Episode, 'sessionId' | 'outcome' | 'rewards' | 'imported'>> {
  trajectory: Trajectory;
  /** One per timestep. */
  turns: EpisodeTurn[];
  completed: boolean;
  /** Null or left out: a name is made of file and line. */
  sessionId?: string | null;
  /** Null: unscored. A row does not say who judged: `environment` unless told otherwise. */
  reward?: number | null;
  rewardSource?: RewardSource;
  outcome?: Partial<Episode['outcome']>;
}

/** An episode of a row that another tool (or another format of ours) wrote. */
export function importedEpisode(
  format: ImportFormatName,
  place: RowPlace,
  { completed, sessionId, reward, rewardSource = 'environment', outcome, ...facts }: ImportedFacts,
): Episode {
  return {
    schemaVersion: 1,
    rollout: null,
    groupId: null,
    source: 'record',
    environment: null,
    category: null,
    model: null,
    provider: null,
    startedAt: null,
    finishedAt: null,
    metadata: {},
    compressed: null,
    tokenizedBy: null,
    ...facts,
    sessionId: sessionId ? fileSafe(sessionId) : sessionIdOfPlace(place),
    outcome: {
      stopReason: completed ? 'natural' : null,
      completed,
      status: null,
      failureClass: null,
      failure: null,
      apiCalls: facts.turns.length,
      attempts: 1,
      suspectedTampering: [],
      ...outcome,
    },
    rewards: rewardSignals(reward ?? null, rewardSource),
    imported: { format, file: place.file, line: place.line },
  };
}

function rewardSignals(value: number | null, source: RewardSource): Episode['rewards'] {
  if (value === null) return [];
  const unknown = { shape: null, parts: null, by: null, at: null, note: null };
  return [{ source, quality: REWARD_QUALITY[source], value, ...unknown }];
}

const ROWS_ENDING = /\.(jsonl?|gz)$/;

/** `data/rows.jsonl`, line 7 → `rows-7`: the same name whenever the file is read. */
function sessionIdOfPlace({ file, line }: RowPlace): string {
  let name = file.split('/').at(-1) as string;
  while (ROWS_ENDING.test(name)) name = name.replace(ROWS_ENDING, '');
  return fileSafe(`${name || 'row'}-${line}`);
}

/** Session ids become file names. */
function fileSafe(id: string): string {
  return id.replace(/[^A-Za-z0-9._-]+/g, '_').replace(/^[^A-Za-z0-9]+/, '') || 'session';
}
