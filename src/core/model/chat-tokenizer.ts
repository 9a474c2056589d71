/** A chat message or tool in the fields that chat templates know. */
export type TemplateValue = Readonly<Record<string, unknown>>;

export interface RenderOptions {
  tools: readonly TemplateValue[];
  /** The text ends where the assistant begins to speak. */
  generationPrompt: boolean;
  /** What templates that write the date take for today; epoch milliseconds. */
  now: number;
}

/** A model's own chat template and tokenizer. */
export interface ChatTokenizer {
  /** Stands in every row that it made the ids of. */
  readonly name: string;
  /** What ends a turn of the assistant; null where the model does not say. */
  readonly endOfTurn: string | null;
  /** Throws where the template refuses the conversation. */
  render(messages: readonly TemplateValue[], options: RenderOptions): string;
  /** Ids of a piece of rendered text; nothing is added before or after it. */
  encode(text: string): number[];
}

/** The same, also for what a model sampled. */
export interface SamplingTokenizer extends ChatTokenizer {
  /** At which a model stops, the end of a turn among them. */
  readonly stopIds: ReadonlySet<number>;
  /** The text of ids, special tokens included. */
  decode(ids: readonly number[]): string;
  /** Ids and the text that each stands for, special tokens left out. */
  vocabulary(): ReadonlyMap<number, string>;
}
