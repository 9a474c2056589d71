import type { ModelRequest } from './model-client.js';

/** Sent with every call, so that ours and the endpoint's records can be matched. */
export const CALL_ID_HEADER = 'x-longrun-call-id';
/** Turns before this one, whatever of them is still sent. */
export const TURN_HEADER = 'x-longrun-turn';

/** In which a server may tell the version of the weights that answered. */
export const POLICY_VERSION_HEADER = 'x-policy-version';

export function callHeaders(request: Pick<ModelRequest, 'callId' | 'turn'>): Record<string, string> {
  return {
    [CALL_ID_HEADER]: request.callId,
    ...(request.turn === undefined ? {} : { [TURN_HEADER]: String(request.turn) }),
  };
}
