import type { Episode } from '../../core/trajectory/episode.schema.js';

const NUMBERED = /^prompt-(\d+)$/;

/** The group of a row that says which prompt it answers. */
export const groupOfPrompt = (index: number): string => `prompt-${index}`;

/** The number of each prompt of an export: rollouts of one group have one prompt; groups are counted as they come. */
export class PromptIndex {
  private readonly numbers = new Map<string, number>();

  see(episode: Episode): void {
    const group = groupOf(episode);
    if (!NUMBERED.test(group) && !this.numbers.has(group)) this.numbers.set(group, this.numbers.size);
  }

  of(episode: Episode): number {
    const group = groupOf(episode);
    return Number(NUMBERED.exec(group)?.[1] ?? this.numbers.get(group) ?? 0);
  }
}

const groupOf = ({ groupId, sessionId }: Episode): string => groupId ?? `alone ${sessionId}`;
