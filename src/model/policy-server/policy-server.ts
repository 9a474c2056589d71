import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { badInput, LongrunError } from '../../core/errors.js';
import { closeServer, createLoopbackServer, listenOnLoopback } from '../../http/loopback-server.js';
import { readJson } from '../../http/read-json.js';
import { CALL_ID_HEADER, POLICY_VERSION_HEADER, TURN_HEADER } from '../call-headers.js';
import type { Answered } from './answered.js';
import { FAIL_HEADER, type FailureKind, FailurePlan, type FailureRule } from './failure-plan.js';
import { Ledger } from './ledger.js';
import { isLineFailure, playFailure } from './play-failure.js';
import { type PolicyCall, PolicyModel, type PolicyModelOptions } from './policy-model.js';
import { chatAnswer, completionAnswer, generateAnswer } from './wire-answer.js';
import { chatRequestSchema, completionRequestSchema, generateRequestSchema } from './wire-request.js';

export interface PolicyServerOptions extends PolicyModelOptions {
  /** Names under which it is listed; the first answers where an API names no model. */
  models: readonly [string, ...string[]];
  failures: readonly FailureRule[];
  retryAfterSec: number;
  policyVersion: string;
}

/** Defaults of servers that we stand for: vLLM's `/v1/completions` and SGLang's `/generate`. */
const VLLM_MAX_TOKENS = 16;
const SGLANG_MAX_TOKENS = 128;

type Headers = Readonly<Record<string, string | undefined>>;
type Prepared = { call: PolicyCall; write(answered: Answered): unknown };

/**
 * A policy of scripts that answers as inference servers do, with ids and log-probabilities of what it sampled; for
 * tests and demos. Chat, completions and SGLang's `/generate`; `/stats` and `/ledger` say what it was asked.
 */
export class PolicyServer {
  readonly ledger = new Ledger();
  private readonly server: Server;
  private readonly model: PolicyModel;
  private readonly plan: FailurePlan;
  private policyVersion: string;

  private constructor(private readonly options: PolicyServerOptions) {
    this.model = new PolicyModel(options);
    this.plan = new FailurePlan(options.failures, options.seed);
    this.policyVersion = options.policyVersion;
    this.server = createLoopbackServer((request, response) => {
      this.route(request, response).catch((error) => refuse(response, error));
    });
  }

  /** Listens on the loopback interface; port 0 = a free one. Errors: `bad_input` for a port that is taken. */
  static async start(options: PolicyServerOptions, port = 0): Promise<PolicyServer> {
    const made = new PolicyServer(options);
    await listenOnLoopback(made.server, port).catch((cause: Error) => {
      throw badInput(`--port: ${port} cannot be used: ${cause.message}.`);
    });
    return made;
  }

  /** Up to and including `/v1`. */
  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  close(): Promise<void> {
    return closeServer(this.server);
  }

  private async route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = `${request.method} ${request.url?.split('?')[0]}`;
    const headers = request.headers as Headers;
    switch (route) {
      case 'GET /v1/models':
        return send(response, 200, {
          object: 'list',
          data: this.options.models.map((id) => ({ id, object: 'model' })),
        });
      case 'GET /stats':
        return send(response, 200, { ...this.ledger.stats(), policy_version: this.policyVersion });
      case 'GET /ledger':
        return send(response, 200, this.ledger.document());
      case 'POST /policy':
        this.policyVersion = z.object({ version: z.string().min(1) }).parse(await readJson(request)).version;
        return send(response, 200, { policy_version: this.policyVersion });
      case 'POST /v1/chat/completions':
        return this.answer(response, headers, async () => this.chat(await readJson(request), headers));
      case 'POST /v1/completions':
        return this.answer(response, headers, async () => this.completion(await readJson(request), headers));
      case 'POST /generate':
        return this.answer(response, headers, async () => this.generate(await readJson(request), headers));
      default:
        throw new LongrunError('not_found', `nothing at ${route}`);
    }
  }

  private async answer(
    response: ServerResponse,
    headers: Headers,
    read: () => Promise<Prepared>,
  ): Promise<void> {
    const end = this.ledger.begin();
    response.once('close', end);
    const { call, write } = await read();
    const failure = this.plan.next(call, headers[FAIL_HEADER]);
    if (failure !== null) this.ledger.failed(failure);
    const unsampled = failure === 'rate-limit' || failure === 'error' || failure === 'stall';
    if (unsampled) return playFailure(failure, response, '', this.options.retryAfterSec);
    const version = this.policyVersion;
    const answered = await this.model.answer(call, version, failure);
    const body = JSON.stringify(write(answered));
    this.note(call, answered, failure);
    if (isLineFailure(failure)) return playFailure(failure, response, body, this.options.retryAfterSec);
    response.writeHead(200, {
      'content-type': 'application/json',
      'x-request-id': answered.sequenceId,
      [POLICY_VERSION_HEADER]: version,
    });
    // Header and body in one write: a second packet would wait 40 ms for the first one's acknowledgement.
    response.end(body);
  }

  private note(
    call: PolicyCall,
    { tokens, finishReason, ...answered }: Answered,
    failure: FailureKind | null,
  ): void {
    const { api, callId, model, seed, turn, temperature, prompt } = call;
    const { sequenceId, policyVersion } = answered;
    this.ledger.sampled({
      ...{ api, callId, sequenceId, policyVersion, model, seed, turn, temperature },
      promptTokenIds: prompt,
      tokenIds: tokens.map(({ id }) => id),
      logprobs: tokens.map(({ logprob }) => logprob),
      ...{ finishReason, failure },
    });
  }

  private chat(body: unknown, headers: Headers): Prepared {
    const request = chatRequestSchema.parse(body);
    if (request.stream) throw badInput('scripted policies do not stream');
    const rendered = this.model.renderChat(request, headers[TURN_HEADER]);
    const maxTokens = request.max_completion_tokens ?? request.max_tokens ?? null;
    const call = this.call('chat', request, { ...rendered, maxTokens }, headers);
    return { call, write: (answered) => chatAnswer(answered, request) };
  }

  private completion(body: unknown, headers: Headers): Prepared {
    const request = completionRequestSchema.parse(body);
    const maxTokens = request.max_tokens === undefined ? VLLM_MAX_TOKENS : request.max_tokens;
    const call = this.call(
      'completions',
      request,
      { ...this.readPrompt(request.prompt, headers), maxTokens },
      headers,
    );
    return { call, write: (answered) => completionAnswer(answered, request) };
  }

  private generate(body: unknown, headers: Headers): Prepared {
    const request = generateRequestSchema.parse(body);
    const { max_new_tokens: limit, temperature, sampling_seed: seed } = request.sampling_params;
    const prompt = request.input_ids ?? request.text;
    if (!prompt) throw badInput('the request has neither input_ids nor text');
    const maxTokens = limit === undefined ? SGLANG_MAX_TOKENS : limit;
    const from = { model: this.options.models[0], seed, temperature };
    const call = this.call('generate', from, { ...this.readPrompt(prompt, headers), maxTokens }, headers);
    return { call, write: (answered) => generateAnswer(answered, request.return_logprob === true) };
  }

  private readPrompt(prompt: readonly number[] | string, headers: Headers) {
    const ids = typeof prompt === 'string' ? this.model.encode(prompt) : prompt;
    return { prompt: ids, ...this.model.readPrompt(ids, headers[TURN_HEADER]) };
  }

  private call(
    api: PolicyCall['api'],
    {
      model,
      seed,
      temperature,
    }: { model: string; seed?: number | null | undefined; temperature?: number | null | undefined },
    rest: Omit<PolicyCall, 'api' | 'callId' | 'model' | 'seed' | 'temperature'>,
    headers: Headers,
  ): PolicyCall {
    const callId = headers[CALL_ID_HEADER] ?? null;
    return { api, callId, model, seed: seed ?? this.model.seed, temperature: temperature ?? 1, ...rest };
  }
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const known = LongrunError.is(error) ? error : null;
  const missing = known?.code === 'model_unknown' || known?.code === 'not_found';
  const message = known ? [known.message, known.hint].filter(Boolean).join('. ') : String(error);
  const code = known?.code === 'model_unknown' ? 'model_not_found' : null;
  send(response, missing ? 404 : 400, {
    error: { message, type: 'invalid_request_error', param: null, code },
  });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
