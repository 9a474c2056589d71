import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ServeConfig } from '../../../src/core/run/serve-config.schema.js';
import type { SinkContext } from '../../../src/sinks/sink.js';
import { tinkerSink } from '../../../src/sinks/tinker/index.js';
import type { ArtifactStore } from '../../../src/store/store.js';
import { tempStore } from '../../store/temp-store.js';
import { contentOf } from '../../trajectories/process/folder.js';
import { folder } from '../../trajectories/support/folder.js';
import { ServeRun, type ServeRunOptions } from '../support/serve-run.js';
import type { Executor } from '../support/sink-executor.js';

const LOOK_EVERY_MS = 5;
const GROUP_SIZE = 2;

/** A run that writes batches of two groups into a folder, without Temporal. */
export interface TinkerRun {
  serve: ServeRun;
  store: ArtifactStore;
  folder: string;
}

export async function tinkerRun(
  settings: Partial<ServeConfig> = {},
  options: Omit<ServeRunOptions, 'serve'> = {},
): Promise<TinkerRun> {
  const store = await tempStore();
  const path = folder();
  const serve = await ServeRun.plan(store, {
    groupSize: GROUP_SIZE,
    ...options,
    serve: { tinker: path, batchGroups: 2, ...settings },
  });
  return { serve, store, folder: path };
}

/** A started executor: `ended` settles when its sink does. */
export interface Working {
  executor: Executor;
  ended: Promise<void>;
  /** Stops it, as a worker does that shuts down, and waits for its end. */
  stop(): Promise<void>;
}

/** `changes`: what its context has instead of what the worker gives it. */
export async function start(run: TinkerRun, changes: Partial<SinkContext> = {}): Promise<Working> {
  const executor = await run.serve.executor('tinker');
  const sink = tinkerSink(run.serve.run, LOOK_EVERY_MS);
  const ended = sink.run({ ...executor.context, ...changes });
  ended.catch(() => undefined);
  return {
    executor,
    ended,
    stop: async () => {
      executor.stop();
      await ended.catch(() => undefined);
    },
  };
}

/** Everything that closed, delivered. */
export async function deliver(run: TinkerRun): Promise<Executor> {
  const { executor, ended } = await start(run);
  await ended;
  await executor.close();
  return executor;
}

/** The files of a folder, the trainer's own left out. */
export function filesOf({ folder }: TinkerRun): Record<string, string> {
  const { 'state.json': _own, ...files } = contentOf(folder);
  return files;
}

export function linesOf<T = Record<string, unknown>>({ folder }: TinkerRun, name: string): T[] {
  const text = contentOf(folder)[name] ?? '';
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as T);
}

/** The ids of the groups of each batch, as `index.jsonl` has them. */
export function batchesOf(run: TinkerRun): string[][] {
  return linesOf<{ groups: string[] }>(run, 'index.jsonl').map(({ groups }) => groups);
}

/** Empty while it is not there. */
export function manifestOf({ folder }: TinkerRun): Record<string, unknown> {
  return JSON.parse(contentOf(folder)['manifest.json'] ?? '{}');
}

/** What the trainer says, put there at once: a file that is seen half-way is a matter of its own. */
export function say({ folder }: TinkerRun, state: unknown): void {
  const whole = `${folder}.state`;
  writeFileSync(whole, typeof state === 'string' ? state : JSON.stringify(state));
  renameSync(whole, join(folder, 'state.json'));
}

/** Waits until something holds, which the sink does by itself. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  await expect.poll(holds, { timeout: 10_000, interval: 10 }).toBe(true);
}
