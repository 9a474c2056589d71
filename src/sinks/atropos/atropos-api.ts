import type { z } from 'zod';
import { badInput, LongrunError } from '../../core/errors.js';
import { SECOND_MS } from '../../core/time.js';
import type { ScoredItem } from '../../formats/atropos-group/scored-item.js';
import {
  type EnvStatus,
  envStatusSchema,
  type Info,
  infoSchema,
  postedSchema,
  type RegisteredEnv,
  registerAnswerSchema,
} from './api.schema.js';
import { type Answer, Connection } from './connection.js';

/** The server does its work on one thread: while a large batch goes out everybody waits. */
const ASK_TIMEOUT_MS = 15 * SECOND_MS;
const POST_TIMEOUT_MS = 60 * SECOND_MS;
const REASON_MAX_CHARS = 2_000;
/** About the address or the way of asking, which every other group would meet as well. */
const WRONG_PLACE = new Set([401, 402, 403, 404, 405, 407, 410, 421, 426]);
const LATER = new Set([408, 425, 429, 502, 503, 504]);

export interface EnvRegistration {
  max_token_length: number;
  desired_name: string;
  weight: number;
  group_size: number;
  min_batch_allocation: null;
}

/** What a server said to an item. */
export type Posted = { accepted: true } | { accepted: false; reason: string };

/** The address of an Atropos server as it was typed. Throws `bad_input`. */
export function atroposUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw badInput(`--atropos: found ${text}; accepted is a URL such as http://localhost:8000`);
  return url;
}

/** What producers ask of an Atropos server; everything in `work` goes over one connection. */
export async function talk<T>(
  base: URL,
  work: (api: AtroposApi) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const connection = new Connection(base);
  try {
    return await work(new AtroposApi(connection, base, signal));
  } finally {
    connection.close();
  }
}

/** Errors: `sink_unavailable` (retryable), `sink_refused` for what is no Atropos server. */
export class AtroposApi {
  constructor(
    private readonly connection: Connection,
    private readonly base: URL,
    private readonly signal?: AbortSignal,
    private readonly postTimeoutMs = POST_TIMEOUT_MS,
  ) {}

  async info(): Promise<Info> {
    return this.read(infoSchema, await this.ask('GET', '/info'), 'GET /info');
  }

  /** Null until the trainer has asked for its first batch. */
  async registerEnv(env: EnvRegistration): Promise<RegisteredEnv | null> {
    const answer = await this.ask('POST', '/register-env', env);
    const read = this.read(registerAnswerSchema, answer, 'POST /register-env');
    return 'env_id' in read ? read : null;
  }

  /** Null when the server does not know this environment. */
  async envStatus(envId: number): Promise<EnvStatus | null> {
    const answer = await this.ask('GET', '/status-env', { env_id: envId });
    // 404 is how our own listener says it; of a wrong address `/info` tells when we register again.
    if (answer.status === 500 || answer.status === 404) return null;
    return this.read(envStatusSchema, answer, 'GET /status-env');
  }

  /** Whether it is in the queue; any error leaves that open, unless its `details.unsent` is true. */
  async post(item: ScoredItem & { env_id: number }): Promise<Posted> {
    // Not ended by the executor's signal: an answer that nobody waits for puts the item in doubt.
    const answer = await this.connection.ask('POST', '/scored_data', {
      body: item,
      timeoutMs: this.postTimeoutMs,
    });
    const { status, body } = answer;
    const known = !WRONG_PLACE.has(status) && !LATER.has(status);
    if (status >= 400 && status < 500 && known)
      return { accepted: false, reason: `${status} ${body}`.slice(0, REASON_MAX_CHARS) };
    const read = this.read(postedSchema, answer, 'POST /scored_data');
    if (read.status === 'received') return { accepted: true };
    return { accepted: false, reason: `the server does not take it for a whole group: ${body}` };
  }

  /** Succeeds for an environment that is unknown, too. */
  async disconnectEnv(envId: number): Promise<void> {
    await this.ask('POST', '/disconnect-env', { env_id: envId });
  }

  private ask(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> {
    return this.connection.ask(method, path, {
      body,
      timeoutMs: ASK_TIMEOUT_MS,
      ...(this.signal && { signal: this.signal }),
    });
  }

  private read<S extends z.ZodType>(schema: S, { status, body }: Answer, what: string): z.output<S> {
    const found = `${what} of ${this.base.origin} answered ${status}`;
    if (LATER.has(status) || (status >= 500 && status !== 501))
      throw new LongrunError('sink_unavailable', found, { retryable: true, details: { status } });
    const { data } = schema.safeParse(status === 200 ? parsed(body) : undefined);
    if (data === undefined)
      throw new LongrunError(
        'sink_refused',
        `${found}, which no Atropos server does: ${body.slice(0, 200)}`,
        {
          hint: 'Check the address of --atropos, then `longrun runs resume`.',
          details: { status },
        },
      );
    return data;
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
