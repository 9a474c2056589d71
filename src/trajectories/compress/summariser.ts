import type { Turn } from './turns.js';

/** What a summary is made of. */
export interface SummaryRequest {
  /** What the agent was asked to do. */
  task: string;
  /** In order; not always neighbours. */
  turns: readonly Turn[];
  /** What the text may come to; a longer one is cut. */
  maxTokens: number;
}

/** Writes the text that stands for turns. */
export interface Summariser {
  kind: 'model' | 'extractive';
  /** Throws a LongrunError where no summary could be had: the row stays as it is then. */
  summarise(request: SummaryRequest): Promise<string>;
}
