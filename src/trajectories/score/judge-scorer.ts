import { randomUUID } from 'node:crypto';
import { LongrunError } from '../../core/errors.js';
import type { ChatMessage } from '../../core/model/messages.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { ModelClient, ModelResponse } from '../../model/index.js';
import { sha256 } from '../digest.js';
import { FailureStreak } from './failure-streak.js';
import { inParallel } from './in-parallel.js';
import { ASK_AGAIN, judgePrompt, PROMPT_VERSION } from './judge-prompt.js';
import { type JudgeAnswer, readJudgement } from './read-judgement.js';
import { renderTranscript, TRANSCRIPT_CHARS } from './render-transcript.js';
import type { Rubric } from './rubric.js';
import type { KeepOutcome, Score, ScoreItem, Scorer } from './scorer.js';
import { failsEveryItem, withRetries } from './with-retries.js';

export interface JudgeOptions {
  model: string;
  /** Null = the usual endpoint; part of what makes a score the same one. */
  baseUrl: string | null;
  client: ModelClient;
  rubric: Rubric;
  concurrency: number;
  timeoutMs: number;
  close?: () => Promise<void>;
}

/** What a transcript is cut to when it does not fit, one after the other. */
const LIMITS = [TRANSCRIPT_CHARS, TRANSCRIPT_CHARS / 2, TRANSCRIPT_CHARS / 4, TRANSCRIPT_CHARS / 10];

/** A model that judges by a rubric, over an OpenAI-compatible endpoint, at temperature 0. */
export class JudgeScorer implements Scorer {
  readonly name: string;
  readonly identity: string;
  readonly criteria: readonly string[];
  /** Some models refuse any but their own; found out by the first answer. */
  private temperature: number | null = 0;

  constructor(private readonly options: JudgeOptions) {
    const { model, baseUrl, rubric } = options;
    this.name = model;
    this.criteria = rubric.criteria.map(({ name }) => name);
    this.identity = JSON.stringify(['judge', PROMPT_VERSION, model, baseUrl, sha256(JSON.stringify(rubric))]);
  }

  async scoreAll(items: AsyncIterable<ScoreItem>, keep: KeepOutcome, signal: AbortSignal): Promise<void> {
    const streak = new FailureStreak(this.options.concurrency);
    await inParallel(items, this.options.concurrency, async ({ id, episode }) => {
      const outcome = await this.outcome(id, episode, signal);
      streak.note(outcome);
      await keep(id, outcome);
    });
  }

  async close(): Promise<void> {
    await this.options.close?.();
  }

  private async outcome(id: string, episode: Episode, signal: AbortSignal) {
    try {
      return { score: await this.judge(id, episode, signal) };
    } catch (error) {
      if (failsEveryItem(error)) throw error;
      return { error: error as LongrunError };
    }
  }

  private async judge(id: string, episode: Episode, signal: AbortSignal): Promise<Score> {
    for (const [i, limit] of LIMITS.entries()) {
      const prompt = judgePrompt(
        this.options.rubric,
        renderTranscript(episode, limit),
        sha256(id).slice(0, 12),
      );
      try {
        return await this.converse(prompt, signal);
      } catch (error) {
        if (!LongrunError.is(error, 'model_context_overflow') || i === LIMITS.length - 1) throw error;
      }
    }
    throw new LongrunError('internal', 'no transcript was tried');
  }

  /** Asks, and once more where the answer holds no judgement. Both are paid for. */
  private async converse(prompt: ChatMessage[], signal: AbortSignal): Promise<Score> {
    const first = await this.ask(prompt, signal);
    const answer = this.judgementIn(first);
    if (typeof answer !== 'string') return scoreOf(answer, [first]);
    const again: ChatMessage[] = [
      ...prompt,
      { ...first.message, reasoning: null, toolCalls: [], content: first.message.content || '(nothing)' },
      { role: 'user', content: ASK_AGAIN },
    ];
    const second = await this.ask(again, signal);
    const better = this.judgementIn(second);
    if (typeof better !== 'string') return scoreOf(better, [first, second]);
    throw new LongrunError('model_rejected', `${this.name} gave no judgement: ${better}`, {
      details: { answer: second.message.content.slice(0, 500) },
    });
  }

  /** A score that was cut off may read as another one. */
  private judgementIn({ finishReason, message }: ModelResponse): JudgeAnswer | string {
    if (finishReason === 'length') return 'the answer was cut off at the limit of tokens';
    return readJudgement(message.content, this.options.rubric);
  }

  private async ask(messages: ChatMessage[], signal: AbortSignal): Promise<ModelResponse> {
    const { client, model, timeoutMs } = this.options;
    const send = (): Promise<ModelResponse> =>
      client.complete(
        {
          model,
          messages,
          tools: [],
          temperature: this.temperature,
          maxTokens: null,
          seed: null,
          callId: randomUUID(),
          timeoutMs,
        },
        // A call in the air is finished and kept: it has to be paid for anyway.
        new AbortController().signal,
      );
    try {
      return await withRetries(send, signal);
    } catch (error) {
      if (this.temperature === null || !refusesTemperature(error)) throw error;
      this.temperature = null;
      return await withRetries(send, signal);
    }
  }
}

const refusesTemperature = (error: unknown): boolean =>
  LongrunError.is(error, 'model_rejected') && /temperature/i.test(String(error.details.providerMessage));

function scoreOf(answer: JudgeAnswer, calls: ModelResponse[]): Score {
  const sum = (of: (call: ModelResponse) => number): number =>
    calls.reduce((total, call) => total + of(call), 0);
  return {
    ...answer,
    model: calls.at(-1)?.model ?? null,
    usage: {
      promptTokens: sum(({ usage }) => usage.promptTokens),
      cachedTokens: sum(({ usage }) => usage.cachedTokens),
      completionTokens: sum(({ usage }) => usage.completionTokens),
    },
    costUsd: calls.every(({ costUsd }) => costUsd !== null) ? sum(({ costUsd }) => costUsd ?? 0) : null,
  };
}
