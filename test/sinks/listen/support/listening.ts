import { onTestFinished } from 'vitest';
import type { ServeConfig } from '../../../../src/core/run/serve-config.schema.js';
import { listenSink, type ServerExtension } from '../../../../src/sinks/listen/http/index.js';
import { readListenAddress } from '../../../../src/sinks/listen/index.js';
import { tempStore } from '../../../store/temp-store.js';
import { until } from '../../../support/until.js';
import { ServeRun, type ServeRunOptions } from '../../support/serve-run.js';
import type { Executor, ExecutorOptions } from '../../support/sink-executor.js';

export const ON_LOOPBACK: Partial<ServeConfig> = { listen: { host: '127.0.0.1', port: 0 } };

/** A run that listens, in a folder of its own. */
export async function listeningRun(options: ServeRunOptions = {}): Promise<ServeRun> {
  const serve = { ...ON_LOOPBACK, ...options.serve };
  return ServeRun.plan(await tempStore(), { ...options, serve });
}

export interface Batch {
  batch: Item[] | null;
  batch_id?: number;
}

export interface Item {
  tokens: number[][];
  masks: number[][];
  scores: number[];
  inference_logprobs: number[][] | null;
  overrides: Record<string, unknown>[] | null;
  group_overrides: { group_id?: string; item?: number; delivery: { batch: number; n: number } };
}

/** One executor of the listener, spoken to by HTTP. */
export class Listening {
  private constructor(
    readonly url: string,
    readonly executor: Executor,
    /** How its run ends. */
    readonly done: Promise<'done' | unknown>,
    private readonly headers: Record<string, string>,
  ) {}

  static async start(
    serve: ServeRun,
    options: ExecutorOptions & { token?: string; extensions?: readonly ServerExtension[] } = {},
  ): Promise<Listening> {
    const { runId } = serve.run;
    const before = await readListenAddress(serve.store, runId);
    const executor = await serve.executor('listen', options);
    const done = listenSink(options.extensions)(serve.run)
      .run(executor.context)
      .then(
        () => 'done' as const,
        (error: unknown) => error,
      );
    let ended: unknown = null;
    void done.then((end) => {
      ended = end;
    });
    await until(async () => ended !== null || (await readListenAddress(serve.store, runId)) !== before);
    if (ended !== null) throw ended;
    onTestFinished(async () => {
      executor.stop();
      await done;
    });
    const url = (await readListenAddress(serve.store, runId)) as string;
    const headers: Record<string, string> =
      options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
    return new Listening(url, executor, done, headers);
  }

  /** As a worker that shuts down, or as one that dies: nothing is kept but the store. */
  async stop(): Promise<void> {
    this.executor.stop();
    await this.done;
  }

  request(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, { ...init, headers: { ...this.headers, ...init.headers } });
  }

  async get<T = unknown>(path: string): Promise<T> {
    return (await (await this.request(path)).json()) as T;
  }

  send(path: string, body: unknown): Promise<Response> {
    return this.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  async post<T = unknown>(path: string, body: unknown): Promise<T> {
    return (await (await this.send(path, body)).json()) as T;
  }

  batch(ack?: number): Promise<Batch> {
    return this.get<Batch>(ack === undefined ? '/batch' : `/batch?ack=${ack}`);
  }

  register(batchSize: number, more: Record<string, unknown> = {}): Promise<Response> {
    return this.send('/register', registration(batchSize, more));
  }

  /** Once the groups that have closed are in the queue, or left out. */
  async queued(groups: number): Promise<void> {
    const { settled } = this.executor;
    await until(() => settled.delivered + settled.skipped === groups, {
      what: `${groups} groups are queued`,
    });
  }
}

export const registration = (batchSize: number, more: Record<string, unknown> = {}) => ({
  wandb_group: 'g',
  wandb_project: 'p',
  batch_size: batchSize,
  max_token_len: 512,
  checkpoint_dir: '/ckpt',
  save_checkpoint_interval: 10,
  starting_step: 0,
  num_steps: 1_000,
  ...more,
});

/** A `ScoredData` of somebody else's; `first` makes it another one. */
export const posted = (size: number, first: number, more: Record<string, unknown> = {}) => ({
  tokens: Array.from({ length: size }, (_, i) => [first, 5, 9 + i]),
  masks: Array.from({ length: size }, (_, i) => [-100, -100, 9 + i]),
  scores: Array.from({ length: size }, (_, i) => i % 2),
  inference_logprobs: Array.from({ length: size }, () => [1, 1, -0.25]),
  ...more,
});

export const groupIds = ({ batch }: Batch): (string | undefined)[] =>
  batch?.map(({ group_overrides }) => group_overrides.group_id) ?? [];

export const marks = ({ batch }: Batch) =>
  batch?.map(({ group_overrides }) => group_overrides.delivery) ?? [];
