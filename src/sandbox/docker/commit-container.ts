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
  const image = `${SNAPSHOT_REPOSITORY}:${tag}`;
  await asking('keeping a container as an image', async () => {
    const { Config } = await container.inspect();
    const { Config: base } = await docker.getImage(Config.Image).inspect();
    const env = base.Env ?? [];
    const given = (Config.Env ?? []).some((variable) => !env.includes(variable));
    if (!given) return await container.commit({ repo: SNAPSHOT_REPOSITORY, tag });
    await copyFiles(docker, container, tag, instructions(Config, env));
  });
  return { image, files: null };
}

/**
 * An engine writes the whole configuration of a committed container into its image. Values that the host gave it
 * may be secrets, so then only the files are taken; it costs a copy of them instead of a layer.
 */
async function copyFiles(
  docker: Dockerode,
  container: Dockerode.Container,
  tag: string,
  changes: string[],
): Promise<void> {
  const files = await container.export();
  const progress = await docker.importImage(files, { repo: SNAPSHOT_REPOSITORY, tag, changes });
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(progress, (error: Error | null) => (error ? reject(error) : resolve()));
  });
}

function instructions(
  { Labels, WorkingDir }: { Labels: Record<string, string>; WorkingDir: string },
  env: string[],
) {
  const variables = env.map((variable) => {
    const at = variable.indexOf('=');
    return `ENV ${variable.slice(0, at)}=${quoted(variable.slice(at + 1))}`;
  });
  const labels = Object.entries(Labels).map(([name, value]) => `LABEL ${quoted(name)}=${quoted(value)}`);
  return [...variables, ...labels, `WORKDIR ${WorkingDir || '/'}`];
}

const quoted = (text: string): string => `"${text.replace(/[\\"$]/g, '\\$&')}"`;
