import type { Clock } from '../time.js';

interface Entry<T> {
  value: T;
  usedAt: number;
}

/** Values that can be had anew: those that nobody asked for in a while go when others come. */
export class RecentlyUsed<T> {
  /** Least recently used first. */
  private readonly entries = new Map<string, Entry<T>>();

  constructor(
    private readonly idleMs: number,
    private readonly now: Clock = Date.now,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  get(name: string): T | undefined {
    const entry = this.entries.get(name);
    if (entry !== undefined) this.put(name, entry.value);
    return entry?.value;
  }

  set(name: string, value: T): void {
    this.put(name, value);
    const stale = this.now() - this.idleMs;
    for (const [other, { usedAt }] of this.entries) {
      if (usedAt > stale) return;
      this.entries.delete(other);
    }
  }

  delete(name: string): void {
    this.entries.delete(name);
  }

  clear(): void {
    this.entries.clear();
  }

  private put(name: string, value: T): void {
    this.entries.delete(name);
    this.entries.set(name, { value, usedAt: this.now() });
  }
}
