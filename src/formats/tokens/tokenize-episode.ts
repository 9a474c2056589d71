import { append } from '../../core/lists/append.js';
import type { ChatTokenizer, TemplateValue } from '../../core/model/chat-tokenizer.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { TimeStep, TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import { chatMessage } from '../chat-message.js';
import { hasMoreThanText } from '../content-text.js';
import { modelTurns } from './episode-sequences.js';
import type { TokenProblem } from './training-sequence.js';

/**
 * The episode with ids that a tokenizer made of its text, marked `tokenizedBy`, for turns whose own ids nobody
 * recorded; log-probabilities stay unknown. Ids that were sampled are never replaced: an episode that has them
 * for every turn comes back as it is. New text is encoded alone, behind the ids of what was there before.
 */
export function tokenizeEpisode(
  episode: Episode,
  tokenizer: ChatTokenizer,
): { episode: Episode; problem: null } | { episode: null; problem: TokenProblem } {
  const indices = modelTurns(episode);
  const sampled = indices.every(
    (index) => episode.turns[index]?.promptTokenIds && episode.turns[index]?.completionTokenIds,
  );
  if (sampled || (episode.compressed?.summarisedTurns ?? null) !== null) return { episode, problem: null };
  if (indices.some((index) => holdsMoreThanText(episode.trajectory.timesteps[index])))
    return refuse('it holds more than text, which a chat template cannot render as ids');
  const turns = [...episode.turns];
  const context = new RenderedContext(tokenizer, episode.startedAt ?? 0);
  for (const [index, step] of episode.trajectory.timesteps.entries()) {
    const ids = context.add(step);
    if (typeof ids === 'string') return refuse(`turn ${index + 1}: ${ids}`);
    const turn = turns[index];
    if (ids === null || turn === undefined) continue;
    turns[index] = { ...turn, ...ids, logprobs: null, sequenceId: null };
  }
  return { episode: { ...episode, turns, tokenizedBy: tokenizer.name }, problem: null };
}

interface TurnIds {
  promptTokenIds: number[];
  completionTokenIds: number[];
}

/** The conversation so far: its messages, its rendered text, and the ids of that text. */
class RenderedContext {
  private readonly messages: TemplateValue[] = [];
  private tools: readonly TemplateValue[] = [];
  private text = '';
  private ids: number[] = [];

  constructor(
    private readonly tokenizer: ChatTokenizer,
    private readonly now: number,
  ) {}

  /** The ids of a step's turn; null where no model answered in it; a sentence where the template does not serve. */
  add({ chats, availableToolSchemas }: TimeStep): TurnIds | string | null {
    this.tools = availableToolSchemas ?? this.tools;
    const messages = chats.flatMap((chat) => chat.messages);
    const at = messages.findLastIndex(({ role }) => role === 'assistant');
    const answer = messages[at];
    this.say(messages.slice(0, Math.max(at, 0)));
    const ids = answer === undefined ? null : this.answer(answer);
    this.say(messages.slice(at + 1));
    return ids;
  }

  private answer(answer: TrajectoryMessage): TurnIds | string {
    try {
      const prompt = this.render(true);
      this.say([answer]);
      const whole = this.render(false);
      if (!whole.startsWith(prompt))
        return 'with the answer the chat template renders another prompt than without it';
      return this.turnIds(prompt, upToEnd(whole.slice(prompt.length), this.tokenizer.endOfTurn));
    } catch (error) {
      return `the chat template refuses it: ${(error as Error).message}`;
    }
  }

  private turnIds(prompt: string, completion: string): TurnIds {
    const promptTokenIds = prompt.startsWith(this.text)
      ? [...this.ids, ...this.tokenizer.encode(prompt.slice(this.text.length))]
      : this.tokenizer.encode(prompt);
    const completionTokenIds = this.tokenizer.encode(completion);
    this.text = prompt + completion;
    this.ids = [...promptTokenIds, ...completionTokenIds];
    return { promptTokenIds, completionTokenIds };
  }

  private render(generationPrompt: boolean): string {
    return this.tokenizer.render(this.messages, { tools: this.tools, generationPrompt, now: this.now });
  }

  private say(messages: readonly TrajectoryMessage[]): void {
    append(
      this.messages,
      messages.map((message) => chatMessage(message, 'object')),
    );
  }
}

/** A model stops at its end of turn: the white space that templates write behind it belongs to the next prompt. */
function upToEnd(completion: string, endOfTurn: string | null): string {
  if (endOfTurn === null || endOfTurn === '') return completion;
  const at = completion.lastIndexOf(endOfTurn);
  const rest = completion.slice(at + endOfTurn.length);
  return at >= 0 && rest.trim() === '' ? completion.slice(0, at + endOfTurn.length) : completion;
}

function holdsMoreThanText(step: TimeStep | undefined): boolean {
  return (
    step?.chats.some(({ messages }) => messages.some(({ content }) => hasMoreThanText(content))) ?? false
  );
}

const refuse = (reason: string): { episode: null; problem: TokenProblem } => ({
  episode: null,
  problem: { code: 'not_tokenizable', reason },
});
