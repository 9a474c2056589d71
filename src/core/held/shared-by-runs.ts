import type { Kept } from './kept.js';

interface Shared<T> {
  thing: T;
  users: Set<string>;
}

/** Whoever is no run: what it uses stays until all is closed. */
const PROCESS = '';

/** Things that runs share, by key: each goes with the last run that asked for it. */
export class SharedByRuns<T> implements Kept {
  private readonly shared = new Map<string, Shared<T>>();

  constructor(private readonly end: (thing: T) => Promise<void>) {}

  get size(): number {
    return this.shared.size;
  }

  get(key: string): T | undefined {
    return this.shared.get(key)?.thing;
  }

  /** Without a run it is the process itself that uses it. */
  of(key: string, runId: string | null, make: () => T): T {
    const found = this.shared.get(key) ?? { thing: make(), users: new Set<string>() };
    this.shared.set(key, found);
    found.users.add(runId ?? PROCESS);
    return found.thing;
  }

  scopes(): Iterable<string> {
    const users = new Set([...this.shared.values()].flatMap((each) => [...each.users]));
    users.delete(PROCESS);
    return users;
  }

  async letGo(runId: string): Promise<void> {
    const unused: T[] = [];
    for (const [key, { thing, users }] of this.shared) {
      if (!users.delete(runId) || users.size > 0) continue;
      this.shared.delete(key);
      unused.push(thing);
    }
    await this.endAll(unused);
  }

  async close(): Promise<void> {
    const all = [...this.shared.values()].map(({ thing }) => thing);
    this.shared.clear();
    await this.endAll(all);
  }

  private async endAll(things: readonly T[]): Promise<void> {
    await Promise.all(things.map((thing) => this.end(thing)));
  }
}
