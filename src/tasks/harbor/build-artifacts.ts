import { posix } from 'node:path';
import type { Artifact } from '../../core/rollout/task.schema.js';
import { shown, type TaskProblem } from './problem.js';
import type { ArtifactToml } from './task-toml.schema.js';

/** Harbor collects this folder whether or not a task declares it. */
export const CONVENTION = '/logs/artifacts';

/** Declared artifacts with absolute sources; a relative one is relative to the working directory. */
export function buildArtifacts(
  declared: readonly ArtifactToml[],
  workdir: string | null,
  report: (index: number, problem: Omit<TaskProblem, 'file' | 'line'>) => void,
): Artifact[] {
  return declared.flatMap((entry, index) => {
    const { source, destination, exclude } = typeof entry === 'string' ? { source: entry } : entry;
    const refuse = (message: string, found: string, accepted: string) => {
      report(index, { message, found: shown(found), accepted });
      return [];
    };
    if (leaves(source)) return refuse('an artifact path holds ".."', source, 'an absolute path');
    if (!source.startsWith('/') && workdir === null) {
      return refuse(
        'the artifact is relative and [environment] names no workdir',
        source,
        'an absolute path',
      );
    }
    if (destination && (destination.startsWith('/') || destination.includes('\\') || leaves(destination))) {
      return refuse(
        'the destination of an artifact is not inside the artifacts folder',
        destination,
        'a relative path',
      );
    }
    const absolute = posix.resolve(workdir ?? '/', source);
    if (absolute === '/') return refuse('the whole file system is no artifact', source, 'a path below /');
    return { source: absolute, destination: destination || absolute.slice(1), exclude: exclude ?? [] };
  });
}

/** What a separate verifier gets: the declared artifacts and the folder of the convention, once each. */
export function withConvention(artifacts: readonly Artifact[]): Artifact[] {
  const sources = new Map(artifacts.map((artifact) => [artifact.source, artifact]));
  if (!sources.has(CONVENTION)) {
    sources.set(CONVENTION, { source: CONVENTION, destination: CONVENTION.slice(1), exclude: [] });
  }
  return [...sources.values()];
}

const leaves = (path: string): boolean => path.split('/').includes('..');
