import type { TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';

/** Whether each call of a conversation has its result, before the model says anything more. */
export class CallLedger {
  /** Calls of the last answer by id; null = has its result. */
  private open = new Map<string, string | null>();

  /** What is wrong with the next message, or null. */
  add(message: TrajectoryMessage): string | null {
    if (message.role === 'tool') return this.answer(message);
    if (message.role !== 'assistant') return null;
    const missing = this.end();
    this.open = new Map(message.toolCalls.map(({ id, function: { name } }) => [id, name]));
    if (missing !== null) return missing;
    return this.open.size < message.toolCalls.length ? 'two calls have the same id' : null;
  }

  /** A call that got no result, or null. */
  end(): string | null {
    for (const [id, name] of this.open) if (name !== null) return `call ${id} of ${name} has no result`;
    return null;
  }

  private answer({ toolCallId, name }: Extract<TrajectoryMessage, { role: 'tool' }>): string | null {
    const called = this.open.get(toolCallId);
    if (called === undefined) return `a result of ${name} names call ${toolCallId}, which was not made`;
    if (called === null) return `call ${toolCallId} has two results`;
    this.open.set(toolCallId, null);
    return name === '' || name === called
      ? null
      : `the result of call ${toolCallId} is named ${name}, the call ${called}`;
  }
}
