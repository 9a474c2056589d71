import { type Logger, pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { SinkName } from '../../../src/core/run/serve-config.schema.js';
import { openContext } from '../../../src/sinks/host/open-context.js';
import { SinkClaim } from '../../../src/sinks/host/sink-claim.js';
import type { RunMessages, SinkObserver } from '../../../src/sinks/host/sink-host-parts.js';
import type { Outcome, SinkContext } from '../../../src/sinks/sink.js';
import type { RunRecord } from '../../../src/store/records/records.schema.js';
import type { ArtifactStore } from '../../../src/store/store.js';

export interface ExecutorOptions {
  incarnation?: number;
  env?: NodeJS.ProcessEnv;
  now?: () => number;
  logger?: Logger;
  /** In place of Temporal. */
  runs?: Partial<RunMessages>;
}

/** One executor of a sink, and what it told of. */
export interface Executor {
  context: SinkContext;
  /** Limits that the run was told, in order. */
  allowed: number[];
  /** The newest of them. */
  readonly limit: number;
  readonly finished: boolean;
  /** Groups that it is done with, by outcome. */
  settled: Record<Outcome, number>;
  /** Lags of the rollouts that it read. */
  lags: (number | null)[];
  /** Tells it to stop, as a worker does that shuts down or a cancelled run. */
  stop(): void;
  /** Ends it in order: what it knows of its progress is in the store. */
  close(): Promise<void>;
}

/** An executor as the worker makes it, with messages to the run's workflow noted instead of sent. */
export async function executorOf(
  store: ArtifactStore,
  run: RunRecord,
  name: SinkName,
  options: ExecutorOptions = {},
): Promise<Executor> {
  const {
    incarnation = 1,
    env = {},
    now = Date.now,
    runs = {},
    logger = pino({ level: 'silent' }),
  } = options;
  const stopping = new AbortController();
  const settled = { delivered: 0, parked: 0, skipped: 0 };
  const lags: (number | null)[] = [];
  const allowed: number[] = [];
  let finished = false;
  const observer: SinkObserver = {
    groupRead: (_sink, read) => void lags.push(...read),
    groupSettled: (_sink, outcome) => {
      settled[outcome] += 1;
    },
  };
  const messages: RunMessages = {
    allow: async (_runId, _sink, limit) => void allowed.push(limit),
    finish: async () => {
      finished = true;
    },
    ...runs,
  };
  const claim = await SinkClaim.take(
    store,
    { runId: run.runId, sink: name },
    { incarnation, hostId: 'here', at: now() },
  );
  const { context, closeContext } = await openContext(
    { store, run, name, claim, observer, env, now, runs: messages, logger },
    { stopping: stopping.signal },
  );
  let closing: Promise<void> | null = null;
  const close = () => {
    closing ??= closeContext();
    return closing;
  };
  onTestFinished(async () => {
    stopping.abort();
    await close();
  });
  return {
    ...{ context, allowed, settled, lags, close },
    get limit() {
      return allowed.at(-1) ?? 0;
    },
    get finished() {
      return finished;
    },
    stop: () => stopping.abort(),
  };
}
