import type { Episode } from '../../core/trajectory/episode.schema.js';
import { chatMessage } from '../chat-message.js';
import type { ExportFormat } from '../export-format.js';
import { Float } from '../python-json.js';
import {
  refuseZeroVariance,
  type TrainingGroup,
  type TrainingMember,
  trainable,
  trainingGroup,
} from '../tokens/training-group.js';
import { trainingOptions } from '../tokens/training-options.js';
import { policyVersions, type TrainingSequence } from '../tokens/training-sequence.js';
import { encodeSequence, sequenceAdvantages } from './encode-sequence.js';

/**
 * `ScoredData` of Atropos, one group a line. An episode whose prompts do not extend each other gives one entry per
 * training sequence, all with its reward as their score: `overrides` say which entries belong together, and
 * `group_overrides` has the mean in which each rollout counts once.
 */
export const atroposGroupFormat: ExportFormat = {
  name: 'atropos-group',
  unit: 'group',
  layout: 'lines',
  usesTools: false,
  rows(episodes, context) {
    const { keepZeroVariance, withoutLogprobs } = trainingOptions(context);
    const group = trainingGroup(episodes, context, { reward: true, logprobs: !withoutLogprobs });
    const refused = [...group.refused];
    const members = trainable(group);
    if (members.length === 0) return { rows: [], refused };
    // Consumers centre the scores that they are sent: equal ones teach them nothing, whatever the whole group's are.
    if (!keepZeroVariance && new Set(members.map(({ reward }) => reward)).size === 1)
      return { rows: [], refused: [...refused, ...refuseZeroVariance(members)] };
    return { rows: [{ file: null, value: scoredData(group, members, withoutLogprobs) }], refused };
  },
};

/** Every row has the same keys: what is unknown is null, as the server itself hands items out. */
function scoredData(group: TrainingGroup, members: readonly TrainingMember[], withoutLogprobs: boolean) {
  const entries = members.flatMap((member) =>
    member.sequences.map((sequence, index) => ({ member, sequence, index, ...encodeSequence(sequence) })),
  );
  const estimated = members.some(({ episode }) => hasAdvantages(episode));
  const temperature = members[0]?.episode.temperature ?? null;
  return {
    tokens: entries.map(({ tokens }) => tokens),
    masks: entries.map(({ masks }) => masks),
    scores: entries.map(({ member }) => new Float(member.reward as number)),
    advantages: estimated
      ? entries.map(({ member, sequence }) => floats(sequenceAdvantages(sequence, member.advantages)))
      : null,
    ref_logprobs: null,
    inference_logprobs: withoutLogprobs
      ? null
      : entries.map(({ inferenceLogprobs }) => floats(inferenceLogprobs ?? [])),
    messages: entries.map(({ member, sequence }) => messagesOf(member.episode, sequence)),
    generation_params: temperature === null ? null : { temperature: new Float(temperature) },
    overrides: entries.map(({ member, sequence, index }) => overridesOf(member, sequence, index)),
    group_overrides: groupOverrides(group, members, entries.length),
    images: null,
  };
}

/** Keys that no consumer knows travel through the server unchanged, so that is where ids are. */
function overridesOf({ episode, sequences }: TrainingMember, sequence: TrainingSequence, index: number) {
  return {
    session_id: episode.sessionId,
    sample: episode.rollout?.sample ?? null,
    attempt: episode.rollout?.attempt ?? null,
    sequence: index,
    sequences: sequences.length,
    policy_versions: policyVersions([sequence]),
    tokenized_by: episode.tokenizedBy,
  };
}

function groupOverrides(group: TrainingGroup, members: readonly TrainingMember[], entries: number) {
  const first = members[0]?.episode as Episode;
  return {
    group_id: group.groupId,
    group_size: entries,
    run_id: first.rollout?.runId ?? null,
    task_id: first.rollout?.taskId ?? null,
    environment: first.environment,
    model: first.model,
    policy_versions: policyVersions(members.flatMap(({ sequences }) => sequences)),
    rollouts: members.length,
    mean: new Float(group.baseline.mean),
    std: new Float(group.baseline.std),
    left_out: group.refused.map(({ sessionId, code }) => ({ session_id: sessionId, reason: code })),
  };
}

/** The conversation up to the end of the last turn of a sequence. */
function messagesOf({ trajectory }: Episode, { spans }: TrainingSequence) {
  const last = spans.at(-1)?.turn ?? 0;
  const messages = trajectory.timesteps
    .slice(0, last + 1)
    .flatMap(({ chats }) => chats.flatMap((chat) => chat.messages));
  return messages.map((message) => chatMessage(message, 'text'));
}

const hasAdvantages = ({ trajectory }: Episode): boolean =>
  trajectory.timesteps.some(({ advantage }) => advantage !== null);

const floats = (values: readonly number[]): Float[] => values.map((value) => new Float(value));
