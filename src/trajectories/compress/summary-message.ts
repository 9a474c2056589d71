import type { TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import { type CountTokens, messageTokens } from './count-tokens.js';
import { fitText } from './fit-text.js';

export const SUMMARY_LABEL = 'summary';

/** The message that stands for the turns that were removed, at most `maxTokens` long; null where not even its heading fits. */
export function summaryMessage(
  text: string,
  removedTurns: number,
  { maxTokens, count }: { maxTokens: number; count: CountTokens },
): TrajectoryMessage | null {
  const heading = `[Summary of ${removedTurns} ${removedTurns === 1 ? 'step that is' : 'steps that are'} left out here]\n`;
  const message = (content: string): TrajectoryMessage => ({ role: 'user', content, label: SUMMARY_LABEL });
  const room = maxTokens - messageTokens(message(heading), count);
  // Texts counted apart can come to a token more than counted together, not to less.
  const fitted = fitText(text.trim(), room, count);
  return fitted === '' ? null : message(heading + fitted);
}
