import { effectiveReward } from '../../../src/core/trajectory/effective-reward.js';
import type { Episode } from '../../../src/core/trajectory/episode.schema.js';
import type { TimeStep, TrajectoryMessage } from '../../../src/core/trajectory/trajectory.schema.js';
import { unrecordedTurn } from '../../../src/formats/episode.js';
import type { ExportContext } from '../../../src/formats/export-format.js';

export const user = (content: string): TrajectoryMessage => ({ role: 'user', content, label: null });

export function assistant(
  content: string,
  calls: readonly { id: string; name: string; arguments: string }[] = [],
  reasoning: string | null = null,
): TrajectoryMessage {
  const toolCalls = calls.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: text },
  }));
  return { role: 'assistant', content, reasoning, toolCalls, label: null };
}

export const result = (toolCallId: string, name: string, content: string): TrajectoryMessage => ({
  role: 'tool',
  content,
  toolCallId,
  name,
  label: null,
});

/** A tool as OpenAI's clients are told of it. */
export const tool = (name: string, description = `Runs ${name}`): Record<string, unknown> => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: { type: 'object', properties: { command: { type: 'string' } } },
  },
});

export function timeStep(
  messages: TrajectoryMessage[],
  tools: Record<string, unknown>[] | null = null,
): TimeStep {
  return {
    chats: [{ messages, logprobs: null, topTokens: null, tokenTopLogprobs: null }],
    reward: null,
    mcReturn: null,
    done: false,
    availableToolSchemas: tools,
    advantage: null,
  };
}

/** An episode of these turns; everything else as given, or plain. */
export function episode(sessionId: string, timesteps: TimeStep[], facts: Partial<Episode> = {}): Episode {
  return {
    schemaVersion: 1,
    sessionId,
    rollout: null,
    groupId: null,
    source: 'environment',
    environment: 'tblite',
    category: null,
    model: 'scripted/demo',
    provider: null,
    startedAt: 1_774_880_551_000,
    finishedAt: 1_774_880_561_250,
    trajectory: { timesteps, resetKwargs: {}, errorInfo: null, episodeId: sessionId, schemaVersion: 1 },
    turns: timesteps.map(unrecordedTurn),
    outcome: {
      stopReason: 'natural',
      completed: true,
      status: 'success',
      failureClass: 'agent',
      failure: null,
      apiCalls: timesteps.length,
      attempts: 1,
      suspectedTampering: [],
    },
    rewards: [reward(1)],
    metadata: {},
    compressed: null,
    tokenizedBy: null,
    imported: null,
    ...facts,
  };
}

export const reward = (value: number): Episode['rewards'][number] => ({
  source: 'environment',
  quality: 'high',
  value,
  shape: null,
  parts: null,
  by: null,
  at: null,
  note: null,
});

/** What the rows of an export share. */
export const context = (options: ExportContext['options'] = {}, tools: string[] = []): ExportContext => ({
  tools,
  rewardOf: ({ rewards }) => effectiveReward(rewards),
  options,
});
