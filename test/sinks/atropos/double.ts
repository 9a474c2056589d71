import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** What goes wrong with one request. */
export type Fault =
  /** The connection is cut: before the request is worked on, or after. */
  | 'cut_before'
  | 'cut_after'
  /** The same, and more happens before anybody can ask. */
  | { cutAfter: () => void }
  | { cutBefore: () => void }
  | { status: number; body: string }
  /** Nothing goes wrong with this one. */
  | 'none';

export interface DoubleItem {
  env_id: number;
  tokens: number[][];
  group_overrides: { group_id: string; delivery: { attempt: number; resent: boolean } };
}

export interface DoubleEnv {
  name: string;
  weight: number;
  connected: boolean;
}

/**
 * A double of the Atropos server, not the server itself: as much of its protocol as a producer meets, with its traps
 * (a post before a registration spoils it), and faults on demand. test/peers has the real one.
 */
export class AtroposDouble {
  /** How requests to a path fail, the next first. */
  readonly faults = new Map<string, Fault[]>();
  /** In the order of their coming; nothing forgets them. */
  readonly arrived: DoubleItem[] = [];
  readonly asked: string[] = [];
  spoilt = false;
  /** That were ever made. */
  connections = 0;
  away = false;
  private state = fresh();
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly http: ReturnType<typeof createServer>) {}

  static async start(): Promise<AtroposDouble> {
    const http = createServer();
    const double = new AtroposDouble(http);
    http.on('request', (request, response) => void double.answer(request, response));
    http.on('connection', (socket) => {
      double.connections += 1;
      if (double.away) socket.destroy();
      double.sockets.add(socket.once('close', () => double.sockets.delete(socket)));
    });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    return double;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as { port: number }).port}`;
  }

  get envs(): readonly DoubleEnv[] {
    return this.state.envs;
  }

  /** Names of the environments that are connected and count. */
  get connected(): string[] {
    return this.envs.filter(({ connected, weight }) => connected && weight > 0).map(({ name }) => name);
  }

  get queue(): readonly DoubleItem[] {
    return this.state.queue;
  }

  /** Groups in the order of their coming. */
  get groups(): string[] {
    return this.arrived.map(({ group_overrides: { group_id } }) => group_id);
  }

  /** A trainer registers and asks for its first batch. */
  train(batchSize: number, { step = 0, numSteps = -1 } = {}): void {
    Object.assign(this.state, { batchSize, step, numSteps, started: true });
  }

  /** The trainer asks for a batch: as many as there are are formed at once. */
  takeBatches(): number {
    let batches = 0;
    for (; this.sequences() >= this.state.batchSize; batches++) {
      let left = this.state.batchSize;
      while (left > 0) left -= this.state.queue.shift()?.tokens.length ?? left;
    }
    this.state.step += batches;
    return batches;
  }

  /** Another process in its place, which knows nothing. */
  restart(): void {
    for (const socket of this.sockets) socket.destroy();
    this.state = fresh();
  }

  /** Another producer posts a group. */
  postForeign(size: number): void {
    this.state.queue.push(foreign(size));
  }

  /** Another producer registers. */
  registerForeign(): void {
    this.state.envs.push({ name: 'foreign', weight: 1, connected: true });
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.http.close();
    await once(this.http, 'close');
  }

  private sequences(): number {
    return this.state.queue.reduce((sum, { tokens }) => sum + tokens.length, 0);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const body = await bodyOf(request);
    this.asked.push(path);
    const fault = this.faults.get(path)?.shift();
    if (fault === 'cut_before') return void request.socket.destroy();
    if (typeof fault === 'object' && 'cutBefore' in fault) {
      fault.cutBefore();
      return void request.socket.destroy();
    }
    if (typeof fault === 'object' && 'status' in fault) return send(response, fault.status, fault.body);
    const [status, answer] = this.act(path, body);
    if (fault === undefined || fault === 'none') return send(response, status, answer);
    if (typeof fault === 'object') fault.cutAfter();
    request.socket.destroy();
  }

  private act(path: string, body: Record<string, unknown>): [number, unknown] {
    const { state } = this;
    switch (path) {
      case '/info':
        return [200, { batch_size: state.batchSize, max_token_len: state.batchSize < 0 ? -1 : 4096 }];
      case '/register-env':
        return [200, this.register(body)];
      case '/status-env':
        return this.statusOf(body.env_id as number);
      case '/scored_data':
        if (!state.started) this.spoilt = true;
        state.queue.push(body as unknown as DoubleItem);
        this.arrived.push(body as unknown as DoubleItem);
        return [200, { status: 'received' }];
      case '/disconnect-env': {
        const env = state.envs[body.env_id as number];
        if (env) env.connected = false;
        return [200, { status: env ? 'success' : 'failure' }];
      }
      default:
        return [404, { detail: 'Not Found' }];
    }
  }

  private register({ group_size, desired_name, weight }: Record<string, unknown>): unknown {
    const { state } = this;
    if (!state.started) return { status: 'wait for trainer to start' };
    state.groupSize = group_size as number;
    const name = String(desired_name);
    const namesakes = state.envs.filter((env) => env.name === name).length;
    const env_id = state.envs.push({ name, weight: weight as number, connected: true }) - 1;
    return {
      ...{
        status: 'success',
        env_id,
        wandb_name: `${name}_${namesakes}`,
        checkpoint_dir: '',
        checkpoint_interval: 10,
      },
      ...{ starting_step: state.step, num_steps: state.numSteps },
    };
  }

  private statusOf(envId: number): [number, unknown] {
    const { envs, queue, step, groupSize } = this.state;
    if (envs[envId] === undefined) return [500, 'Internal Server Error'];
    const own = queue.filter(({ env_id }) => env_id === envId).length;
    const all = Math.floor(this.sequences() / groupSize);
    return [
      200,
      { current_step: step, queue_size: all, self_queue_size: own, unallocated_fraction: 1, env_weight: 1 },
    ];
  }
}

const fresh = () => ({
  batchSize: -1,
  started: false,
  step: 0,
  numSteps: -1,
  groupSize: 1,
  envs: [] as DoubleEnv[],
  queue: [] as DoubleItem[],
});

const foreign = (size: number): DoubleItem => ({
  env_id: 99,
  tokens: Array.from({ length: size }, () => [1]),
  group_overrides: { group_id: 'foreign', delivery: { attempt: 1, resent: false } },
});

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
  return text.length === 0 ? {} : JSON.parse(text.toString('utf8'));
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
