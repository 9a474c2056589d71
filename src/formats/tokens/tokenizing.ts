import type { ChatTokenizer } from '../../core/model/chat-tokenizer.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { ExportFormat } from '../export-format.js';
import { tokenizeEpisode } from './tokenize-episode.js';
import type { TokenProblem } from './training-sequence.js';

/** A training format that tokenizes the episodes of which nobody recorded ids, instead of refusing them. */
export function tokenizing(format: ExportFormat, tokenizer: ChatTokenizer): ExportFormat {
  return {
    ...format,
    rows(episodes, context) {
      const problems = new Map<string, TokenProblem>();
      const warnings: { sessionId: string; message: string }[] = [];
      const ready = episodes.map((episode) => {
        const { episode: tokenized, problem } = tokenizeEpisode(episode, tokenizer);
        // It stays a member of its group, whose mean its reward is part of; the format refuses it.
        if (problem !== null) problems.set(episode.sessionId, problem);
        else if (tokenized !== episode) warnings.push(...shortened(tokenized));
        return tokenized ?? episode;
      });
      const done = format.rows(ready, context);
      return {
        rows: done.rows,
        refused: done.refused.map((refusal) => {
          const problem = refusal.code === 'no_sampled_ids' ? problems.get(refusal.sessionId) : undefined;
          return problem ? { ...refusal, ...problem } : refusal;
        }),
        warnings: [...(done.warnings ?? []), ...warnings],
      };
    },
  };
}

/** What the model saw is not what is rendered where it was sent a part of the conversation. */
function shortened({ sessionId, turns }: Episode): { sessionId: string; message: string }[] {
  const at = turns.findIndex(({ sentView }) => sentView !== null);
  if (at < 0) return [];
  return [
    {
      sessionId,
      message: `from turn ${at + 1} on the model was sent a shortened conversation; its ids are of the whole one`,
    },
  ];
}
