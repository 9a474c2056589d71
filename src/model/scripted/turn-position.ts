import type { WireRequest } from './wire-request.js';

/** The turn stands in the id of each call, so that it is known when older turns are no longer sent. */
export const scriptedCallId = (turn: number, index: number): string => `call_t${turn}_${index}`;

/**
 * Which turn of its script a request asks for, counted from 0. The server keeps no state: a header
 * tells, else the newest call id in the conversation and the answers without calls after it.
 */
export function turnPosition(messages: WireRequest['messages'], header: string | undefined): number {
  if (header !== undefined && /^\d{1,6}$/.test(header)) return Number(header);
  let withoutCalls = 0;
  for (const message of messages.toReversed()) {
    if (message.role !== 'assistant') continue;
    const turn = /^call_t(\d+)_\d+$/.exec(message.tool_calls?.[0]?.id ?? '')?.[1];
    if (turn !== undefined) return Number(turn) + 1 + withoutCalls;
    withoutCalls += 1;
  }
  return withoutCalls;
}
