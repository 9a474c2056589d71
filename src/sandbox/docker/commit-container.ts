import { randomBytes } from 'node:crypto';
import type Dockerode from 'dockerode';
import type { SandboxSnapshot } from '../sandbox.js';
import { asking } from './engine-error.js';
import { SNAPSHOT_REPOSITORY } from './labels.js';

/**
 * Keeps a container's file system as an image of its engine, with the container's labels, by which it
 * is found again. What is mounted (the spool of commands, /proc) is not part of it.
 */
export async function commitContainer(
  docker: Dockerode,
  container: Dockerode.Container,
): Promise<SandboxSnapshot> {
  const tag = `${container.id.slice(0, 12)}-${randomBytes(4).toString('hex')}`;
  await asking('keeping a container as an image', async () => {
    const { Config } = await container.inspect();
    const { Config: base } = await docker.getImage(Config.Image).inspect();
    const changes = withoutValues(Config.Env ?? [], base.Env ?? []);
    // An engine takes no empty list of changes.
    return await container.commit({ repo: SNAPSHOT_REPOSITORY, tag, ...(changes === '' ? {} : { changes }) });
  });
  return { image: `${SNAPSHOT_REPOSITORY}:${tag}`, files: null };
}

/** Values that the host gave the container may be secrets: whoever starts from the image is given them anew. */
function withoutValues(env: readonly string[], ofImage: readonly string[]): string {
  const given = env.filter((variable) => !ofImage.includes(variable));
  return given.map((variable) => `ENV ${variable.slice(0, variable.indexOf('='))}=`).join('\n');
}
