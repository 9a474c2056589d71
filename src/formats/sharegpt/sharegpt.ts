import { append } from '../../core/lists/append.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import type {
  ExportContext,
  ExportedRows,
  ExportFormat,
  Refusal,
  Survey,
  SurveyContext,
} from '../export-format.js';
import { hasConversation, messagesOf } from '../messages-of.js';
import { offeredTools } from '../offered-tools.js';
import { float } from '../python-json.js';
import { RowSurvey } from '../rows/row-survey.js';
import { wellFormed } from '../well-formed.js';
import { batchColumns, usedTools } from './batch-columns.js';
import { type Conversation, conversationOf } from './conversations.js';
import { PromptIndex } from './prompt-index.js';
import { timestamp } from './timestamp.js';
import { fieldsWith, type UnparsedArguments, unparsedArguments } from './unparsed-arguments.js';

export { UNPARSED_KEY } from './unparsed-arguments.js';

/** Names of files, as the agent that the format comes from writes them. */
export const SAMPLES_FILE = 'trajectory_samples.jsonl';
export const FAILED_FILE = 'failed_trajectories.jsonl';
export const BATCH_FILE = 'batch_001_output.jsonl';

/**
 * ShareGPT rows. `options.variant`: `cli` (default), rows that did not complete in FAILED_FILE; `batch`, all in
 * one file, with statistics of tools. `options.plain`: only the columns of the documentation.
 */
export const shareGptFormat: ExportFormat = {
  name: 'sharegpt',
  unit: 'episode',
  layout: 'lines',
  survey: (context) => new ShareGptRows(context),
  rows: (episodes, context) => {
    const alone = new ShareGptRows(context);
    for (const [index, episode] of episodes.entries()) alone.see(episode, index);
    return alone.rows(episodes, context);
  },
};

type Warnings = { sessionId: string; message: string }[];

class ShareGptRows implements Survey {
  private readonly survey = new RowSurvey();
  private readonly prompts = new PromptIndex();

  constructor(private readonly context: SurveyContext) {}

  see(episode: Episode, index: number): void {
    this.prompts.see(episode);
    if (!hasConversation(episode)) return;
    const filled = [
      ...(this.context.rewardOf(episode) === null ? [] : ['reward']),
      ...(usedTools(episode).length === 0 ? [] : ['toolsets_used']),
    ];
    const own = fieldsWith(episode, unparsedArguments(messagesOf(episode)));
    this.survey.see(this.fileOf(episode), index, own, filled);
  }

  first(): number[] {
    return this.survey.first();
  }

  rows(episodes: readonly Episode[], context: ExportContext): ExportedRows {
    const warnings: Warnings = [];
    const told: ExportedRows = { rows: [], refused: [], warnings };
    for (const episode of episodes) {
      if (!hasConversation(episode)) {
        told.refused.push(noConversation(episode));
        continue;
      }
      const messages = messagesOf(episode);
      const conversation = conversationOf(messages, offeredTools(episode));
      const unparsed = unparsedArguments(messages);
      const value = this.row(episode, conversation, unparsed, context);
      told.rows.push({ file: this.fileOf(episode), value: wellFormed(value) });
      append(warnings, warningsOf(episode, conversation, unparsed));
    }
    return told;
  }

  private fileOf({ outcome }: Episode): string | null {
    return this.context.options.variant === 'batch' || outcome.completed ? null : FAILED_FILE;
  }

  private row(
    episode: Episode,
    { turns: conversations }: Conversation,
    unparsed: readonly UnparsedArguments[],
    context: ExportContext,
  ): Record<string, unknown> {
    const { variant, plain } = context.options;
    const { completed } = episode.outcome;
    const own = fieldsWith(episode, unparsed);
    const metadata = plain ? this.survey.ownMetadata(own) : this.survey.metadata(episode, own);
    const reward = plain ? {} : { reward: float(context.rewardOf(episode)) };
    if (variant === 'batch') {
      const prompt_index = this.prompts.of(episode);
      const columns = batchColumns(episode, context.tools);
      return { prompt_index, conversations, metadata, completed, ...columns, ...reward };
    }
    const model = episode.model ?? '';
    const row = { conversations, timestamp: timestamp(episode.finishedAt), model, completed };
    return plain ? row : { ...row, ...reward, metadata };
  }
}

function noConversation({ sessionId, outcome }: Episode): Refusal {
  const why = outcome.failure ? `: ${outcome.failure.message}` : '';
  return { sessionId, code: 'no_conversation', reason: `the rollout ended before its first message${why}` };
}

function warningsOf(
  { sessionId }: Episode,
  { nonText }: Conversation,
  unparsed: readonly UnparsedArguments[],
): Warnings {
  const warnings = unparsed.map(({ name }) => ({
    sessionId,
    message: `the arguments of a call of ${name} are no JSON object: {} in the row, the text in its metadata`,
  }));
  const images = `images or files of ${nonText} messages are left out: the format carries text`;
  return nonText === 0 ? warnings : [...warnings, { sessionId, message: images }];
}
