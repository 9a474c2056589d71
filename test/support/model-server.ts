import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { CALL_ID_HEADER } from '../../src/model/call-headers.js';

export interface SeenCall {
  callId: string;
  /** Answers of the model in the conversation so far. */
  turn: number;
  /** Counts the requests for this turn of this rollout, from 1. */
  try: number;
  /** The run's seed plus the sample: tells rollouts of a task apart. */
  seed: number | null;
  messages: { role: string; content: string | null }[];
  authorization: string | undefined;
  at: number;
}

/** How a request is answered. */
export type Answer = (response: ServerResponse) => void | Promise<void>;

const USAGE = { prompt_tokens: 100, completion_tokens: 10 };

/** A local HTTP server that speaks as an OpenAI-compatible endpoint, counts what it is asked and fails on demand. */
export class ModelServer {
  readonly seen: SeenCall[] = [];
  private readonly server: Server;

  private constructor(script: (call: SeenCall) => Answer) {
    this.server = createServer(async (request, response) => {
      // Which models there are: what a launch asks first.
      if (request.method === 'GET') {
        send(response, 200, { object: 'list', data: [{ id: 'test-model', object: 'model' }] });
        return;
      }
      // biome-ignore lint/suspicious/noExplicitAny: a request's body as it came.
      const body = (await json(request).catch(() => null)) as any;
      if (body === null) return;
      const call = this.note(body, request.headers);
      await script(call)(response);
    });
  }

  static async start(script: (call: SeenCall) => Answer, port = 0): Promise<ModelServer> {
    const made = new ModelServer(script);
    await new Promise<void>((resolve) => made.server.listen(port, '127.0.0.1', resolve));
    return made;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** Requests of the rollouts whose first message holds this text. */
  of(text: string): SeenCall[] {
    return this.seen.filter((call) => call.messages.some(({ content }) => content?.includes(text)));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above.
  private note(body: any, headers: Record<string, string | string[] | undefined>): SeenCall {
    const turn = body.messages.filter(({ role }: { role: string }) => role === 'assistant').length;
    const opening = JSON.stringify(body.messages.find(({ role }: { role: string }) => role === 'user'));
    const same = (call: SeenCall) =>
      call.turn === turn &&
      call.seed === body.seed &&
      call.messages.some((m) => JSON.stringify(m) === opening);
    const call: SeenCall = {
      callId: String(headers[CALL_ID_HEADER]),
      turn,
      try: this.seen.filter(same).length + 1,
      seed: body.seed ?? null,
      messages: body.messages,
      authorization: headers.authorization as string | undefined,
      at: Date.now(),
    };
    this.seen.push(call);
    return call;
  }
}

interface CompletionOptions {
  content?: string;
  calls?: { name: string; arguments: unknown }[];
  finishReason?: string;
  usage?: Partial<typeof USAGE>;
}

/** A whole answer. */
export function completes(options: CompletionOptions): Answer {
  const tool_calls = (options.calls ?? []).map((call, i) => ({
    id: `call_${i}`,
    type: 'function',
    function: {
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    },
  }));
  const message = {
    role: 'assistant',
    content: options.content ?? '',
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
  };
  const finish_reason = options.finishReason ?? (tool_calls.length > 0 ? 'tool_calls' : 'stop');
  return (response) =>
    send(response, 200, {
      id: 'completion',
      object: 'chat.completion',
      created: 1,
      model: 'test-model',
      choices: [{ index: 0, message, finish_reason }],
      usage: { ...USAGE, ...options.usage },
    });
}

export const says = (content: string): Answer => completes({ content });

export const runs = (command: string, timeoutSec?: number): Answer =>
  completes({
    calls: [
      {
        name: 'terminal',
        arguments: timeoutSec === undefined ? { command } : { command, timeout_sec: timeoutSec },
      },
    ],
  });

/** A refusal in the provider's words. */
export const refuses = (
  status: number,
  message: string,
  options: { code?: string; headers?: Record<string, string> } = {},
): Answer => {
  const { code, headers = {} } = options;
  return (response) => send(response, status, { error: { message, code: code ?? null } }, headers);
};

/** The connection ends in the middle of the answer. */
export const breaksOff: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
  response.write('{"id": "completion", "choices": [{"index": 0, "mess');
  setTimeout(() => response.destroy(), 20);
};

/** No answer, ever. */
export const stalls: Answer = () => undefined;

export const after =
  (ms: number, answer: Answer): Answer =>
  async (response) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    await answer(response);
  };

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
