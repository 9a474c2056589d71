import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';
import { badInput, LongrunError } from '../../core/errors.js';
import { redact } from '../../core/text/redact.js';
import { MINUTE_MS } from '../../core/time.js';
import { isLoopback, publicUrl } from '../../model/endpoint.js';
import { type Connection, openConnection } from '../../model/openai/connection.js';
import { retryAfterMs } from '../../model/openai/retry-after.js';
import { type Answer, readAnswer } from './answer.js';
import { batchKey, type UploadRow } from './upload-row.js';

const TIMEOUT_MS = 2 * MINUTE_MS;
const READ_BYTES = 8 * 1024 * 1024;
const pack = promisify(gzipCallback);

export interface ReceiverOptions {
  endpoint: string;
  /** Sent as a bearer token; null = none. */
  apiKey: string | null;
  gzip: boolean;
  env: Readonly<Record<string, string | undefined>>;
  now(): number;
}

/** The other side of an upload. */
export class Receiver {
  /** The address, fit for a message. */
  readonly name: string;
  /** Bytes that went over the wire. */
  sentBytes = 0;
  requests = 0;

  private constructor(
    private readonly options: ReceiverOptions,
    private readonly connection: Connection,
  ) {
    this.name = publicUrl(options.endpoint);
  }

  static async open(options: ReceiverOptions): Promise<Receiver> {
    return new Receiver(options, await openConnection(isLoopback(options.endpoint), options.env));
  }

  /** Sends a batch once. An answer that breaks off is no answer. */
  async post(rows: readonly UploadRow[]): Promise<Answer> {
    const body = await this.bodyOf(rows);
    this.requests += 1;
    this.sentBytes += body.length;
    try {
      const response = await this.connection.fetch(this.options.endpoint, {
        method: 'POST',
        headers: this.headersFor(rows),
        body: new Uint8Array(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = this.withoutKey(await readBounded(response));
      const { status, headers } = response;
      return readAnswer({ status, body: text, retryAfterMs: retryAfterMs(headers, this.options.now()) });
    } catch (error) {
      const ours = LongrunError.within(error);
      if (ours !== null && !ours.retryable)
        return { kind: 'refused', status: Number(ours.details.status ?? 0), reason: ours.message };
      return { kind: 'again', afterMs: null, reason: this.withoutKey(networkWords(error)) };
    }
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  private async bodyOf(rows: readonly UploadRow[]): Promise<Buffer> {
    const plain = Buffer.from(rows.map(({ line }) => `${line}\n`).join(''));
    return this.options.gzip ? await pack(plain) : plain;
  }

  private headersFor(rows: readonly UploadRow[]): Record<string, string> {
    const { apiKey, gzip } = this.options;
    return {
      'content-type': 'application/x-ndjson',
      'idempotency-key': batchKey(rows),
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
      ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
    };
  }

  /** Some receivers quote what they were sent. */
  private withoutKey(text: string): string {
    const { apiKey } = this.options;
    return apiKey === null ? text : redact(text, [apiKey]);
  }
}

/** Refuses an address that would send trajectories, or the key, in the clear to another machine. Throws `bad_input`. */
export function checkEndpoint(endpoint: string, insecure: boolean): void {
  const accepted = 'accepted: an address that begins with https://, or http:// on this machine.';
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    throw badInput(`--endpoint: found "${publicUrl(endpoint)}", ${accepted}`);
  const { protocol, username, password } = new URL(endpoint);
  if (username !== '' || password !== '')
    throw badInput(
      `--endpoint: ${publicUrl(endpoint)} has a user or a password in it.`,
      'Give the key by --api-key-env: an address ends up in logs.',
    );
  if (protocol === 'https:' || insecure || isLoopback(endpoint)) return;
  throw badInput(
    `--endpoint: ${publicUrl(endpoint)} is not encrypted.`,
    'Use https://; --insecure sends trajectories and key in the clear.',
  );
}

async function readBounded(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > READ_BYTES) break;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The innermost reason: `fetch failed` says nothing, its cause does. */
function networkWords(error: unknown): string {
  let words = 'no answer';
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1)
    words = at.message || (at as NodeJS.ErrnoException).code || words;
  return words;
}
