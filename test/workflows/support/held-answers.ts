import { Gate } from '../../sinks/support/other-store.js';

interface Held {
  gate: Gate;
  calls: number;
}

/** Answers of a model that do not come before somebody lets them go, whoever asks, and however often. */
export class HeldAnswers {
  private readonly held: ReadonlyMap<number, Held>;

  constructor(numbers: readonly number[]) {
    this.held = new Map(numbers.map((number) => [number, { gate: new Gate(), calls: 0 }]));
  }

  /** Resolves when this may be answered: at once where it is not held. */
  async pass(number: number): Promise<void> {
    const found = this.held.get(number);
    if (found === undefined) return;
    found.calls += 1;
    await found.gate.opened;
  }

  /** How often it was asked for. */
  calls(number: number): number {
    return this.held.get(number)?.calls ?? 0;
  }

  letGo(number: number): void {
    this.held.get(number)?.gate.open();
  }

  letAllGo(): void {
    for (const number of this.held.keys()) this.letGo(number);
  }
}
