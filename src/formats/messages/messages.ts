import type { Episode } from '../../core/trajectory/episode.schema.js';
import { chatMessage } from '../chat-message.js';
import type { ExportContext, ExportedRows, ExportFormat, Survey, SurveyContext } from '../export-format.js';
import { hasConversation, messagesOf } from '../messages-of.js';
import { offeredTools } from '../offered-tools.js';
import { float } from '../python-json.js';
import { ownFields } from '../rows/own-fields.js';
import { RowSurvey } from '../rows/row-survey.js';
import { wellFormed } from '../well-formed.js';

/**
 * OpenAI chat messages with tools, for SFT trainers: `messages` (arguments of calls as JSON text, reasoning as
 * `reasoning_content`), `tools` (a JSON text, because their schemas have different keys), `model`, `completed`,
 * `reward`, `metadata`. The columns are others than those that `datasets` takes for traces of agents.
 */
export const messagesFormat: ExportFormat = {
  name: 'messages',
  unit: 'episode',
  layout: 'lines',
  usesTools: false,
  survey: (context) => new MessagesRows(context),
  rows: (episodes, context) => {
    const alone = new MessagesRows(context);
    for (const [index, episode] of episodes.entries()) alone.see(episode, index);
    return alone.rows(episodes, context);
  },
};

class MessagesRows implements Survey {
  private readonly survey = new RowSurvey();

  constructor(private readonly context: SurveyContext) {}

  see(episode: Episode, index: number): void {
    if (!hasConversation(episode)) return;
    const keys = new Set(messagesOf(episode).flatMap((message) => Object.keys(chatMessage(message, 'text'))));
    if (this.context.rewardOf(episode) !== null) keys.add('reward');
    this.survey.see(null, index, ownFields(episode), keys);
  }

  first(): number[] {
    return this.survey.first();
  }

  rows(episodes: readonly Episode[], context: ExportContext): ExportedRows {
    const told: ExportedRows = { rows: [], refused: [] };
    for (const episode of episodes) {
      const { sessionId } = episode;
      if (hasConversation(episode))
        told.rows.push({ file: null, value: wellFormed(this.row(episode, context)) });
      else told.refused.push({ sessionId, code: 'no_conversation', reason: 'the rollout has no messages' });
    }
    return told;
  }

  private row(episode: Episode, context: ExportContext): Record<string, unknown> {
    return {
      messages: messagesOf(episode).map((message) => chatMessage(message, 'text')),
      tools: JSON.stringify(offeredTools(episode).map((tool) => ({ type: 'function', function: tool }))),
      model: episode.model ?? '',
      completed: episode.outcome.completed,
      reward: float(context.rewardOf(episode)),
      metadata: this.survey.metadata(episode, ownFields(episode)),
    };
  }
}
