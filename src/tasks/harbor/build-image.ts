import type { ImageSource } from '../../core/rollout/task.schema.js';
import { milliseconds } from './build-sandbox-spec.js';
import { checkDockerfile } from './check-layout.js';
import { buildContext } from './docker-context.js';
import { addFolderBlob } from './folder-blob.js';
import { subfolder } from './task-folder.js';
import type { TaskSource } from './task-source.js';
import type { EnvironmentToml } from './task-toml.schema.js';

/** The image of an [environment]: the prebuilt one it names, else built from the folder's Dockerfile. */
export async function buildImage(
  source: TaskSource,
  environment: EnvironmentToml,
  folder: string,
): Promise<ImageSource> {
  if (environment.docker_image !== undefined) return { kind: 'image', name: environment.docker_image };
  const dockerfile = `${folder}/Dockerfile`;
  if (source.find(dockerfile) === undefined) {
    source.refuseFile(dockerfile, 'the Dockerfile is missing', 'a Dockerfile, or docker_image in task.toml');
  } else {
    await checkDockerfile(source, dockerfile);
  }
  const entries = await buildContext(subfolder(source.entries, folder, source.problems));
  const context = await addFolderBlob(entries, source.blobs);
  return { kind: 'dockerfile', context, buildTimeoutMs: milliseconds(environment.build_timeout_sec) };
}
