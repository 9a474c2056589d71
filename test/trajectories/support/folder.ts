import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Episode } from '../../../src/core/trajectory/episode.schema.js';
import { FilesystemStore } from '../../../src/store/filesystem/filesystem-store.js';
import { type EpisodeInputs, type InputDeps, openInputs } from '../../../src/trajectories/files/inputs.js';
import type { Rejection } from '../../../src/trajectories/files/rejection.js';

/** A folder that goes when the test ends. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'longrun-traj-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Inputs that note what was rejected; their store is an empty one unless given. */
export async function inputsOf(
  names: readonly string[],
  deps: Partial<InputDeps> = {},
): Promise<EpisodeInputs & { rejected: Rejection[] }> {
  const rejected: Rejection[] = [];
  const inputs = await openInputs(names, {
    openStore: () => FilesystemStore.open(folder()),
    onRejected: (rejection) => {
      rejected.push(rejection);
    },
    ...deps,
  });
  return { ...inputs, rejected };
}

export async function all(inputs: EpisodeInputs): Promise<Episode[]> {
  const episodes: Episode[] = [];
  for await (const episode of inputs.read()) episodes.push(episode);
  return episodes;
}
