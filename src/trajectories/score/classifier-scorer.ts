import { LongrunError } from '../../core/errors.js';
import { type Endpoint, publicUrl } from '../../model/endpoint.js';
import { callFailure } from '../../model/openai/call-failure.js';
import { type Connection, openConnection } from '../../model/openai/connection.js';
import { sha256 } from '../digest.js';
import { FailureStreak } from './failure-streak.js';
import { inParallel } from './in-parallel.js';
import type { KeepOutcome, ScoreItem, ScoreOutcome, Scorer } from './scorer.js';
import { wireItem } from './wire-item.js';
import { readWireScore } from './wire-score.js';
import { failsEveryItem, withRetries } from './with-retries.js';

export interface ClassifierOptions {
  endpoint: Endpoint;
  env: Readonly<Record<string, string | undefined>>;
  /** Items per request; above 1 they are sent as `{"items": […]}`. */
  batch: number;
  concurrency: number;
  timeoutMs: number;
  now: () => number;
}

/** A reward model behind HTTP: POST of an item answers `{"score": …}`, of `{"items": […]}` answers `{"scores": […]}` in their order. */
export class ClassifierScorer implements Scorer {
  readonly name: string;
  readonly identity: string;
  readonly criteria = null;
  private connection: Promise<Connection> | null = null;

  constructor(private readonly options: ClassifierOptions) {
    this.name = publicUrl(options.endpoint.baseUrl);
    // The query may choose the model; the whole address may hold a secret.
    this.identity = JSON.stringify(['classifier', sha256(options.endpoint.baseUrl)]);
  }

  async scoreAll(items: AsyncIterable<ScoreItem>, keep: KeepOutcome, signal: AbortSignal): Promise<void> {
    const { batch, concurrency } = this.options;
    const streak = new FailureStreak(concurrency);
    await inParallel(inBatches(items, batch), concurrency, async (some) => {
      const outcomes = await this.outcomes(some, signal);
      streak.note(outcomes[0] as ScoreOutcome);
      for (const [i, { id }] of some.entries()) await keep(id, outcomes[i] as ScoreOutcome);
    });
  }

  async close(): Promise<void> {
    const connection = await this.connection?.catch(() => null);
    await connection?.close();
  }

  private async outcomes(items: ScoreItem[], signal: AbortSignal): Promise<ScoreOutcome[]> {
    try {
      const answers = await withRetries(() => this.post(items), signal);
      return answers.map((answer): ScoreOutcome => {
        const score = readWireScore(answer);
        return typeof score === 'string' ? { error: this.unusable(score) } : { score };
      });
    } catch (error) {
      if (failsEveryItem(error)) throw error;
      return items.map(() => ({ error: error as LongrunError }));
    }
  }

  /** One answer per item. */
  private async post(items: ScoreItem[]): Promise<unknown[]> {
    const { endpoint, batch, timeoutMs, now } = this.options;
    const body = batch === 1 ? wireItem(items[0] as ScoreItem) : { items: items.map(wireItem) };
    const deadline = AbortSignal.timeout(timeoutMs);
    const headers = new Headers({ 'content-type': 'application/json' });
    if (endpoint.apiKey !== null) headers.set('authorization', `Bearer ${endpoint.apiKey}`);
    try {
      const response = await (await this.open()).fetch(endpoint.baseUrl, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        signal: deadline,
      });
      const text = await response.text();
      if (!response.ok) throw { status: response.status, headers: response.headers, error: text };
      return this.answers(JSON.parse(text), items.length);
    } catch (error) {
      const request = { model: this.name, timeoutMs };
      throw callFailure(error, { endpoint, request, timedOut: deadline.aborted, now: now() });
    }
  }

  private answers(said: unknown, wanted: number): unknown[] {
    if (this.options.batch === 1) return [said];
    const scores = (said as { scores?: unknown } | null)?.scores;
    if (Array.isArray(scores) && scores.length === wanted) return scores;
    const found = Array.isArray(scores) ? `${scores.length} scores` : 'no scores';
    throw this.unusable(`${found} for ${wanted} items`);
  }

  private unusable(why: string): LongrunError {
    return new LongrunError('model_rejected', `${this.name}: ${why}`, {
      hint: 'docs/rewards.md says what a classifier endpoint answers.',
    });
  }

  private open(): Promise<Connection> {
    this.connection ??= openConnection(this.options.endpoint.loopback, this.options.env);
    return this.connection;
  }
}

async function* inBatches(items: AsyncIterable<ScoreItem>, size: number): AsyncGenerator<ScoreItem[]> {
  let batch: ScoreItem[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
