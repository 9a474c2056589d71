import { badInput } from '../core/errors.js';
import { STOP_REASONS, type StopReason } from '../core/rollout/outcome.js';
import { closest } from '../core/text/closest.js';
import type { ReplayRequest } from '../store/records/replay.schema.js';

const MOST_TIMES = 100;

/** Refuses a request that says too little or contradicts itself. Throws `bad_input`. */
export function checkRequest(request: ReplayRequest): void {
  const { mode, fromTurn, times, failed, stopReasons, tasks, rollouts } = request;
  if (!failed && stopReasons.length === 0 && tasks.length === 0 && rollouts.length === 0) {
    throw badInput(
      'Nothing says which rollouts are to be replayed.',
      'Choose with --failed (infrastructure failures and cancellations), --stop-reason, --task or --rollout.',
    );
  }
  for (const reason of stopReasons) {
    if (STOP_REASONS.includes(reason as StopReason)) continue;
    const meant = closest(reason, STOP_REASONS);
    throw badInput(
      `--stop-reason: found "${reason}", accepted: ${STOP_REASONS.join(', ')}.`,
      meant ? `Did you mean ${meant}?` : 'longrun runs show lists how the rollouts of a run ended.',
    );
  }
  if (fromTurn !== null && (mode === 'rerun' || mode === 'verify')) {
    throw badInput(
      `--from-turn does nothing with --mode ${mode}.`,
      mode === 'rerun'
        ? 'A rerun begins at the start; use --mode resume or fork.'
        : 'The tests look at the final state; use --mode resume or fork.',
    );
  }
  if (mode === 'fork' && fromTurn === null)
    throw badInput(
      '--mode fork needs --from-turn: the turn after which the continuations part.',
      'longrun rollouts show numbers the turns of a rollout.',
    );
  if (times > MOST_TIMES)
    throw badInput(`--times: found ${times}, accepted: at most ${MOST_TIMES} for each rollout.`);
  if (mode === 'verify' && times > 1)
    throw badInput(
      '--times does nothing with --mode verify: the same state has the same score.',
      'Leave it out, or make new attempts with --mode rerun or resume.',
    );
}
