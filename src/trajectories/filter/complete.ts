import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { EpisodeFilter } from './filter.js';

/** Episodes that were cut short or interrupted go. */
export const complete: EpisodeFilter = { name: 'complete', check: whyIncomplete };

function whyIncomplete({ outcome, trajectory }: Episode): string | null {
  const { completed, stopReason, failure } = outcome;
  const why = failure?.message ?? trajectory.errorInfo?.message;
  if (!completed) return reason(stopReason === null ? 'not completed' : `stop reason ${stopReason}`, why);
  return trajectory.errorInfo === null ? null : reason('ended with an error', why);
}

const reason = (what: string, why: string | undefined): string => (why ? `${what}: ${why}` : what);
