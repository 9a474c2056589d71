import { LongrunError } from '../errors.js';
import { type ExtractedImage, type ExtractImagesOptions, extractImages } from './extract-images.js';
import { type MessageDict, type MessageField, messageDict } from './message-dict.js';
import type { ChatData, TrajectoryMessage } from './trajectory.schema.js';

type LogprobFields = Pick<ChatData, 'logprobs' | 'topTokens' | 'tokenTopLogprobs'>;
const NONE: LogprobFields = { logprobs: null, topTokens: null, tokenTopLogprobs: null };

/** What a chat template needs of a tokenizer: those of `@huggingface/transformers` have it. */
export interface ChatTemplateTokenizer<Options extends object, Result> {
  apply_chat_template(messages: MessageDict[], options: Options): Result;
}

/** One contiguous exchange with a model: agoge's Chat. Frozen, messages included: what changes it answers a new one. */
export class Chat implements ChatData {
  readonly messages: TrajectoryMessage[];
  readonly logprobs: number[] | null;
  readonly topTokens: string[][] | null;
  readonly tokenTopLogprobs: number[][] | null;

  private constructor(messages: readonly TrajectoryMessage[], known: LogprobFields) {
    this.messages = Object.freeze([...messages]) as TrajectoryMessage[];
    this.logprobs = known.logprobs;
    this.topTokens = known.topTokens;
    this.tokenTopLogprobs = known.tokenTopLogprobs;
    Object.freeze(this);
  }

  /** A chat of these messages, copied; the log-probabilities are null where they are not given. */
  static of(data: Pick<ChatData, 'messages'> & Partial<LogprobFields>): Chat {
    const { messages, logprobs = null, topTokens = null, tokenTopLogprobs = null } = data;
    return new Chat(messages.map(frozenMessage), frozenCopy({ logprobs, topTokens, tokenTopLogprobs }));
  }

  /** `chat + message`, or `chat + chat`. Errors: a TypeError for anything else. */
  add(other: Chat | TrajectoryMessage): Chat {
    const more = other instanceof Chat ? other.messages : [frozenMessage(other)];
    return new Chat([...this.messages, ...more], NONE);
  }

  /** `message + chat`. Errors: a TypeError for anything else. */
  prepend(message: TrajectoryMessage): Chat {
    return new Chat([frozenMessage(message), ...this.messages], NONE);
  }

  /**
   * The chat with the log-probabilities of its tokens; `templatedIds` is how many ids the chat template
   * gives for it. Errors: `record_invalid` where one of them has another length.
   */
  withLogprobs(known: Partial<LogprobFields>, templatedIds: number): Chat {
    const chat = Chat.of({ messages: this.messages, ...known });
    chat.checkLogprobs(templatedIds);
    return chat;
  }

  /** Errors: `record_invalid` unless what is known of the tokens has an entry for each id of the templated chat. */
  checkLogprobs(templatedIds: number): void {
    const { logprobs, topTokens, tokenTopLogprobs } = this;
    const known = { logprobs, top_tokens: topTokens, token_top_logprobs: tokenTopLogprobs };
    for (const [name, values] of Object.entries(known)) {
      if (values === null || values.length === templatedIds) continue;
      const found = `chat.${name}: found ${values.length} entries`;
      throw new LongrunError('record_invalid', `${found}; the templated chat has ${templatedIds} ids`, {
        hint: 'They were computed for other messages, or with another chat template.',
        details: { field: name, found: values.length, accepted: templatedIds },
      });
    }
  }

  /** The messages as agoge writes them (snake case), without the fields in `exclude`. */
  toDict({ exclude = [] }: { exclude?: readonly MessageField[] } = {}): MessageDict[] {
    return this.messages.map((message) => messageDict(message, exclude));
  }

  /** What the tokenizer makes of the messages; everything but `exclude` is passed on to it. */
  applyChatTemplate<Options extends object, Result>(
    tokenizer: ChatTemplateTokenizer<Options, Result>,
    options: Options & { exclude?: readonly MessageField[] },
  ): Result {
    const { exclude = [], ...rest } = options;
    return tokenizer.apply_chat_template(this.toDict({ exclude }), rest as unknown as Options);
  }

  /**
   * What stays of the conversation when only the newest `limits[label]` messages of a label do (0: none).
   * Messages without a label, and those of labels that `limits` does not name, all stay.
   */
  historyView(limits: Readonly<Record<string, number>> = {}): Chat {
    const seen = new Map<string, number>();
    const kept: TrajectoryMessage[] = [];
    for (const message of this.messages.toReversed()) {
      const { label } = message;
      if (label && Object.hasOwn(limits, label)) {
        const newer = seen.get(label) ?? 0;
        if (newer >= (limits[label] as number)) continue;
        seen.set(label, newer + 1);
      }
      kept.push(message);
    }
    return new Chat(kept.reverse(), NONE);
  }

  /** The images of the messages in their order: with `asBytes` their bytes alone. One that cannot be had is left out, with a warning. */
  extractImages(options: ExtractImagesOptions & { asBytes: true }): Promise<Uint8Array[]>;
  extractImages(options: ExtractImagesOptions): Promise<ExtractedImage[]>;
  async extractImages(
    options: ExtractImagesOptions & { asBytes?: boolean },
  ): Promise<ExtractedImage[] | Uint8Array[]> {
    const images = await extractImages(this.messages, options);
    return options.asBytes ? images.map(({ bytes }) => bytes) : images;
  }
}

const ROLES: readonly unknown[] = ['system', 'user', 'assistant', 'tool'];

function frozenMessage(value: TrajectoryMessage): TrajectoryMessage {
  const { role, content } = (value ?? {}) as Partial<TrajectoryMessage>;
  if (ROLES.includes(role) && (typeof content === 'string' || Array.isArray(content))) {
    return frozenCopy(value);
  }
  throw new TypeError(`A Chat takes a message or another Chat, not ${nameOf(value)}`);
}

function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return `${value === null ? 'null' : typeof value}`;
  return `an object with role ${String((value as { role?: unknown }).role)}`;
}

function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map(frozenCopy)
    : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, frozenCopy(inner)]));
  return Object.freeze(copy) as T;
}
