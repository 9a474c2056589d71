/** Items that a command was given and has not answered: matched by the id of an answer, else in the order of the input. */
export class PendingLines {
  private readonly ids = new Set<string>();

  add(id: string): void {
    this.ids.add(id);
  }

  /** The item that an answer is for, which is then no longer pending; null when there is none. */
  take(answer: unknown): string | null {
    const named = (answer as { id?: unknown } | null | undefined)?.id;
    const id = typeof named === 'string' ? named : (this.ids.values().next().value ?? null);
    return id !== null && this.ids.delete(id) ? id : null;
  }

  left(): string[] {
    return [...this.ids];
  }
}
