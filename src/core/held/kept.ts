/**
 * What a process keeps for scopes: for a run (its id) or for the rollouts of one task in it (`budgetId`).
 * It can be had anew whenever it is needed again, so that it may go while no work of its scope is here.
 */
export interface Kept {
  /** How many things are kept. */
  readonly size: number;
  /** Those that anything is kept for. */
  scopes(): Iterable<string>;
  letGo(scope: string): void | Promise<void>;
}

/** One thing per scope, made when it is first asked for. */
export class KeptPerScope<T> implements Kept {
  private readonly things = new Map<string, T>();

  constructor(private readonly end: (thing: T) => void | Promise<void> = () => undefined) {}

  get size(): number {
    return this.things.size;
  }

  scopes(): Iterable<string> {
    return this.things.keys();
  }

  values(): Iterable<T> {
    return this.things.values();
  }

  get(scope: string): T | undefined {
    return this.things.get(scope);
  }

  set(scope: string, thing: T): void {
    this.things.set(scope, thing);
  }

  of(scope: string, make: () => T): T {
    const known = this.things.get(scope);
    if (known !== undefined) return known;
    const made = make();
    this.things.set(scope, made);
    return made;
  }

  async letGo(scope: string): Promise<void> {
    const thing = this.things.get(scope);
    if (thing === undefined) return;
    this.things.delete(scope);
    await this.end(thing);
  }
}
