import type { Episode, EpisodeTurn } from '../../core/trajectory/episode.schema.js';
import type { TimeStep, TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import { argumentsObject } from '../../formats/arguments-object.js';
import { callFailed } from '../call-outcome.js';

/** A tool call with what became of it. */
export interface Call {
  name: string;
  /** Null where the text is no JSON object. */
  arguments: Record<string, unknown> | null;
  result: string | null;
  failed: boolean;
}

/** A timestep as compression sees it. */
export interface Turn {
  /** From 0. */
  index: number;
  /** Instructions: they stay even where the turn goes. */
  instructions: TrajectoryMessage[];
  /** The model's answer, the results of its calls and what was said about them. */
  work: TrajectoryMessage[];
  calls: Call[];
  /** Has a reward of its own, which would be lost with it. */
  rewarded: boolean;
  /** Holds results of calls that an earlier turn made: they stay or go together. */
  answersEarlier: boolean;
}

/** Words of the harness to the model, which mean nothing without the turn they belong to. */
const PASSING_LABELS = new Set(['correction', 'notice', 'summary']);

/** The turns of an episode, in order. */
export function turnsOf({ trajectory, turns }: Episode): Turn[] {
  const steps = trajectory.timesteps.map(messagesOf);
  return trajectory.timesteps.map(({ reward }, index) => {
    const messages = steps[index] ?? [];
    return {
      index,
      instructions: messages.filter(isInstruction),
      work: messages.filter((message) => !isInstruction(message)),
      calls: callsOf(messages, [...messages, ...(steps[index + 1] ?? [])], turns[index]),
      rewarded: reward !== null,
      answersEarlier: answersEarlier(messages),
    };
  });
}

/** Turns that stay or go together, in order: mostly one each. */
export function unitsOf(turns: readonly Turn[]): Turn[][] {
  const units: Turn[][] = [];
  for (const turn of turns) {
    const before = units.at(-1);
    if (turn.answersEarlier && before) before.push(turn);
    else units.push([turn]);
  }
  return units;
}

export function messagesOf(step: TimeStep): TrajectoryMessage[] {
  return step.chats.flatMap(({ messages }) => messages);
}

/** The text of a message; parts that are no text are left out. */
export function textOf({ content }: TrajectoryMessage): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function isInstruction({ role, label }: TrajectoryMessage): boolean {
  return (role === 'system' || role === 'user') && !PASSING_LABELS.has(label ?? '');
}

/** The first result of an id counts: ids of a later turn may be the same. */
function callsOf(
  messages: readonly TrajectoryMessage[],
  answers: readonly TrajectoryMessage[],
  known: EpisodeTurn | undefined,
): Call[] {
  const resultOf = (id: string): string | null => {
    const found = answers.find((message) => message.role === 'tool' && message.toolCallId === id);
    return found ? textOf(found) : null;
  };
  return messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.toolCalls.map(({ id, function: { name, arguments: text } }) => {
          const result = resultOf(id);
          const facts = known?.results.find(({ toolCallId }) => toolCallId === id);
          return { name, arguments: argumentsObject(text), result, failed: callFailed(result, facts) };
        })
      : [],
  );
}

function answersEarlier(messages: readonly TrajectoryMessage[]): boolean {
  const made = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
  return messages.some(
    (message) => message.role === 'tool' && !made.some(({ id }) => id === message.toolCallId),
  );
}
