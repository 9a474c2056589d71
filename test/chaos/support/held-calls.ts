import type { AttemptKey } from '../../../src/core/ids.js';
import type { Answer, SeenCall } from '../../support/model-server.js';
import { expectedOf, taskOf } from './chaos-tasks.js';

/** Runs are planned with this seed; a call has that plus its sample. */
const SEED = 1;

interface Wanted {
  least: number;
  isMeant(key: AttemptKey): Promise<boolean>;
}

/**
 * Keeps some rollouts in the middle of their work until a fault has struck: something of them is recorded, they need
 * their sandbox still, and their model does not answer. Without that all of a run may be between two steps, or at
 * their ends, at the moment of the fault, the more so the busier the machine is.
 */
export class HeldCalls {
  readonly attempts: AttemptKey[] = [];
  private wanted: Wanted | null = null;
  private release: () => void = () => undefined;
  private readonly released = new Promise<void>((resolve) => {
    this.release = resolve;
  });

  constructor(private readonly runId: string) {}

  /** From now on, until so many rollouts are held, of those that are meant. */
  hold(wanted: Wanted): void {
    this.wanted = wanted;
  }

  /** The held calls are answered, and no other is held. */
  letGo(): void {
    this.wanted = null;
    this.release();
  }

  /** The usual answer of a call, when its time has come. */
  answer(call: SeenCall, usual: Answer): Answer {
    const { wanted } = this;
    if (wanted === null || !isInTheMiddle(call)) return usual;
    return async (response) => {
      if (await this.isHeld(call, wanted)) await this.released;
      await usual(response);
    };
  }

  private async isHeld(call: SeenCall, wanted: Wanted): Promise<boolean> {
    const key = { runId: this.runId, taskId: taskOf(call), sample: (call.seed ?? SEED) - SEED, attempt: 1 };
    const meant = await wanted.isMeant(key);
    if (!meant || this.wanted === null || this.attempts.length >= wanted.least) return false;
    this.attempts.push(key);
    return true;
  }
}

/** After at least one command, with at least one to come. */
function isInTheMiddle(call: SeenCall): boolean {
  return call.try === 1 && call.turn > 0 && call.turn + 1 < expectedOf(taskOf(call)).turns;
}
