/** One number of a case, with what issue or design ask of it where they do. */
export interface Measure {
  name: string;
  value: number;
  unit: string;
  target: Target | null;
  /** How it came about: sizes, repetitions, what it was compared with. */
  note: string;
}

export interface Target {
  kind: 'at most' | 'at least';
  value: number;
}

/** Runs in a process of its own, so that no case warms up or weighs down another. */
export type BenchCase = (say: (line: string) => void) => Promise<Measure[]>;

export const atMost = (value: number): Target => ({ kind: 'at most', value });
export const atLeast = (value: number): Target => ({ kind: 'at least', value });

/** Null where there is no target. */
export function isMet({ value, target }: Measure): boolean | null {
  if (target === null) return null;
  return target.kind === 'at most' ? value <= target.value : value >= target.value;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export const perSecond = (count: number, ms: number): number => (count / ms) * 1000;
