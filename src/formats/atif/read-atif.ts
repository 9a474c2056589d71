import { badInput } from '../../core/errors.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import { type ImportFormat, type RowPlace, rowByRow } from '../import-format.js';
import { importedEpisode } from '../imported-episode.js';
import { type AtifDocument, atifSchema } from './atif.schema.js';
import { AtifReader } from './atif-reader.js';
import { foreignExtra, type OurExtra, ourExtra } from './our-extra.schema.js';

/** ATIF as it is read, v1.0 to v1.7: a file, or a line, for each trajectory. */
export const atifImport: ImportFormat = {
  name: 'atif',
  matches: ({ schema_version: version }) => typeof version === 'string' && version.startsWith('ATIF-'),
  open: rowByRow(episodeFromAtif),
};

/** An ATIF trajectory as an episode. What the format cannot carry is null. Errors: `bad_input` naming the field. */
export function episodeFromAtif(value: unknown, place: RowPlace): Episode {
  const parsed = atifSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const at = issue?.path.join('.') || 'the whole';
    throw badInput(`at ${at}: ${issue?.message}.`, 'It must be a trajectory in ATIF v1.0 to v1.7.');
  }
  const document = parsed.data;
  const ours = ourExtra(document.extra);
  const environment = ours.rewards.find(({ source }) => source === 'environment');
  const { timesteps, turns } = new AtifReader(document, environment?.value ?? null).read();
  const episode = importedEpisode('atif', place, {
    ...placeOf(ours),
    sessionId: document.session_id ?? document.trajectory_id ?? null,
    model: document.agent.model_name ?? turns.find((turn) => turn.model !== null)?.model ?? null,
    agent: { name: document.agent.name, version: document.agent.version },
    startedAt: turns.find((turn) => turn.startedAt !== null)?.startedAt ?? null,
    trajectory: { timesteps, resetKwargs: {}, errorInfo: null, episodeId: null, schemaVersion: 1 },
    turns,
    // Another tool's file does not say how it ended: one whose last word is the agent's counts as complete.
    completed: ours.completed ?? document.steps.at(-1)?.source === 'agent',
    outcome: outcomeOf(document, ours),
    metadata: metadataOf(document),
  });
  return { ...episode, rewards: ours.rewards };
}

function placeOf(ours: OurExtra): Partial<Episode> {
  const { run_id: runId, task_id: taskId, sample, attempt } = ours;
  const known = runId !== null && taskId !== null && sample !== null;
  return {
    rollout: known ? { runId, taskId, sample, attempt: attempt ?? 1 } : null,
    groupId: ours.group_id,
    source: ours.source,
    environment: ours.environment,
    category: ours.category,
    provider: ours.provider,
  };
}

function outcomeOf({ steps }: AtifDocument, ours: OurExtra): Partial<Episode['outcome']> {
  const calls = steps.map((step) => step.llm_call_count ?? (step.source === 'agent' ? 1 : 0));
  return {
    ...(ours.completed === null ? {} : { stopReason: ours.stop_reason }),
    passed: ours.passed,
    status: ours.status,
    failureClass: ours.failure_class,
    failure: ours.failure,
    apiCalls: ours.api_calls ?? calls.reduce((sum, made) => sum + made, 0),
    attempts: ours.attempts ?? 1,
    suspectedTampering: ours.suspected_tampering,
  };
}

function metadataOf({ extra, notes, subagent_trajectories: subagents }: AtifDocument) {
  return {
    ...foreignExtra(extra ?? {}),
    ...(notes ? { notes } : {}),
    ...(subagents?.length ? { subagent_trajectories: subagents.length } : {}),
  };
}
