import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { AttemptKey } from '../../src/core/ids.js';
import { DockerDriver } from '../../src/sandbox/docker/index.js';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { installationSchema, placementSchema } from '../../src/store/records/records.schema.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { until } from './until.js';

const run = promisify(execFile);

/** The engine's own client: what an operator would do. */
export async function docker(...args: string[]): Promise<string> {
  return (await run('docker', args)).stdout.trim();
}

/** The container of an attempt, once it is placed; null before. */
export async function containerOf(store: ArtifactStore, key: AttemptKey): Promise<string | null> {
  return (await readRecord(store, placementSchema, keys.placement(key)))?.sandbox.id ?? null;
}

/** Containers of a state folder that are still there, running or not. */
export async function containersOf(store: ArtifactStore): Promise<string[]> {
  const driver = new DockerDriver();
  const installation = await readRecord(store, installationSchema, keys.installation);
  if (installation === null) return [];
  const found = await driver.list(installation.clusterId);
  return found.map(({ ref }) => ref.id);
}

/** Removes what a failed test has left behind. */
export async function removeContainersOf(store: ArtifactStore): Promise<void> {
  const left = await containersOf(store);
  if (left.length === 0) return;
  // A worker that was killed may have left the engine removing some of them: `rm` fails on those.
  await docker('rm', '--force', '--volumes', ...left).catch(() => undefined);
  await until(async () => (await containersOf(store)).length === 0);
}
