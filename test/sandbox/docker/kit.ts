import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { DockerDriver } from '../../../src/sandbox/docker/index.js';
import { SandboxKit } from '../conformance/kit.js';

const run = promisify(execFile);

/** The engine's own client: what an operator would do to a container. */
export async function docker(...args: string[]): Promise<string> {
  return (await run('docker', args)).stdout.trim();
}

/** A kit on the real engine, opened and cleaned up with the test file. */
export function dockerKit(): SandboxKit {
  const kit = new SandboxKit(() => new DockerDriver(), { kind: 'image', name: 'debian:bookworm-slim' });
  beforeAll(() => kit.open(), 60_000);
  afterAll(() => kit.close(), 60_000);
  return kit;
}
