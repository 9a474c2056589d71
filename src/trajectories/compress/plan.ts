/** What is known of an episode before anything is summarised. */
export interface PlanInput {
  /** Of the episode as it is. */
  totalTokens: number;
  /** What may go only as a whole, in order: the tokens that it would free, and whether it must stay. */
  units: readonly { tokens: number; key: boolean }[];
  targetTokens: number;
  /** What the summary may take, its frame included. */
  summaryTokens: number;
}

/**
 * The units that give way to a summary, ascending: the oldest first, no more than the target asks for, the very first
 * one last, because it shows how the work began. Where the target is out of reach everything
 * that may go goes. Empty where that would free nothing.
 */
export function planRemoval(input: PlanInput): number[] {
  const { totalTokens, units, targetTokens, summaryTokens } = input;
  const free = units.flatMap(({ key }, index) => (key ? [] : [index]));
  const inOrder = [...free.filter((index) => index > 0), ...free.filter((index) => index === 0)];
  const removed: number[] = [];
  let freed = 0;
  for (const index of inOrder) {
    if (totalTokens - freed + summaryTokens <= targetTokens) break;
    removed.push(index);
    freed += units[index]?.tokens ?? 0;
  }
  return freed > summaryTokens ? removed.sort((a, b) => a - b) : [];
}
