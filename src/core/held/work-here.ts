import type { Clock } from '../time.js';
import type { Kept } from './kept.js';

export interface WorkHereParts {
  /** By the name under which it is counted. */
  kept: Readonly<Record<string, Kept>>;
  /** What is kept for a scope goes so long after its last piece of work. */
  idleMs: number;
  now: Clock;
  onTrouble(error: unknown): void;
}

/**
 * Which runs, and which tasks of them, this process has work of, and the end of what it keeps for the others. A host
 * is never told that a run has ended: another process may have closed it, a replay may begin the day after.
 */
export class WorkHere {
  private readonly working = new Map<string, number>();
  private readonly idleSince = new Map<string, number>();
  private readonly leaving = new Map<string, Promise<void>>();

  constructor(private readonly parts: WorkHereParts) {}

  /** Does a piece of work of these scopes; nothing that is kept for them goes meanwhile. */
  async during<T>(scopes: readonly string[], work: () => Promise<T>): Promise<T> {
    for (const scope of scopes) {
      this.working.set(scope, (this.working.get(scope) ?? 0) + 1);
      this.idleSince.delete(scope);
    }
    try {
      // What is being given back must not be made anew before that is done.
      await Promise.all(scopes.map((scope) => this.leaving.get(scope)));
      return await work();
    } finally {
      for (const scope of scopes) this.ended(scope);
    }
  }

  /** To be called every now and then. Never fails. */
  async letGoOfIdle(): Promise<void> {
    const { kept, now, idleMs } = this.parts;
    const scopes = new Set(Object.values(kept).flatMap((each) => [...each.scopes()]));
    for (const scope of this.idleSince.keys()) scopes.add(scope);
    const leaving: Promise<void>[] = [];
    for (const scope of scopes) {
      if (this.working.has(scope) || this.leaving.has(scope)) continue;
      // What was made without work of ours is seen here first.
      const since = this.idleSince.get(scope) ?? now();
      this.idleSince.set(scope, since);
      if (now() - since >= idleMs) leaving.push(this.letGo(scope));
    }
    await Promise.all(leaving);
  }

  /** How many things are kept, by name; `work` counts the scopes that have a piece of work here. */
  held(): Record<string, number> {
    const sizes = Object.entries(this.parts.kept).map(([name, { size }]) => [name, size] as const);
    return { work: this.working.size, idle: this.idleSince.size, ...Object.fromEntries(sizes) };
  }

  private ended(scope: string): void {
    const left = (this.working.get(scope) ?? 1) - 1;
    if (left > 0) return void this.working.set(scope, left);
    this.working.delete(scope);
    this.idleSince.set(scope, this.parts.now());
  }

  private letGo(scope: string): Promise<void> {
    this.idleSince.delete(scope);
    const all = Object.values(this.parts.kept).map(async (kept) => kept.letGo(scope));
    const left = Promise.allSettled(all).then((answers) => {
      this.leaving.delete(scope);
      for (const answer of answers) if (answer.status === 'rejected') this.parts.onTrouble(answer.reason);
    });
    this.leaving.set(scope, left);
    return left;
  }
}
