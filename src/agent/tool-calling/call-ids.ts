import type { ToolCall } from '../../core/model/messages.js';
import type { TurnHistory } from '../agent.js';

/**
 * Calls with ids that are unique within a rollout: missing and repeated ones become
 * `call_<turn>_<index>`. Applied to an answer before it is recorded.
 */
export function uniqueCallIds(calls: readonly ToolCall[], turn: number, taken: Iterable<string>): ToolCall[] {
  const seen = new Set(taken);
  return calls.map((call, index) => {
    let id = call.id;
    if (id === '' || seen.has(id)) id = `call_${turn}_${index}`;
    while (seen.has(id)) id += '_';
    seen.add(id);
    return { ...call, id };
  });
}

/** The ids of all recorded calls. */
export function takenCallIds(turns: readonly TurnHistory[]): string[] {
  return turns.flatMap((turn) => turn.call.message.toolCalls.map((call) => call.id));
}
