import { once } from 'node:events';
import Dockerode from 'dockerode';
import { containerOptions, SANDBOX_DEFAULTS } from '../src/sandbox/docker/container-options.js';
import { writeTar } from '../src/sandbox/tar-entries.js';
import { wholeScript } from '../src/tasks/verification/verifier-script.js';
import { TEST_SCRIPT } from './task-folder.js';
import { windowed } from './windowed.js';

export const IMAGE = 'debian:bookworm-slim';
const STAGED = '/.tests-bench';

/**
 * What the engine does for a rollout of the nop agent, asked for with nothing around it: a container
 * of the same options made, started, given the tests, told to run them, removed. Answers milliseconds.
 */
export async function bareEngine(count: number, concurrency: number): Promise<number> {
  const docker = new Dockerode();
  const tests = await testsArchive();
  const begun = performance.now();
  await windowed(count, concurrency, (sample) => bareRollout(docker, sample, tests));
  return performance.now() - begun;
}

async function bareRollout(docker: Dockerode, sample: number, tests: Buffer): Promise<void> {
  const container = await docker.createContainer(optionsFor(sample));
  try {
    await container.start();
    await container.putArchive(tests, { path: '/' });
    const exec = await container.exec({
      Cmd: ['/bin/sh', '-c', wholeScript(STAGED, 'bench')],
      AttachStdout: true,
      AttachStderr: true,
    });
    const stream = await exec.start({ hijack: true, stdin: false });
    stream.resume();
    await once(stream, 'end');
    const { ExitCode } = await exec.inspect();
    if (ExitCode !== 0) throw new Error(`the tests ended with ${ExitCode}`);
  } finally {
    await container.remove({ force: true, v: true });
  }
}

function optionsFor(sample: number): Dockerode.ContainerCreateOptions {
  const spec = {
    image: { kind: 'image' as const, name: IMAGE },
    cpus: null,
    memoryMb: null,
    storageMb: null,
    network: 'none' as const,
    env: {},
    workdir: '/app',
    healthcheck: null,
  };
  const owner = {
    // No installation has this id: no reaper takes the container for its own.
    clusterId: 'bench-bare-engine',
    namespace: 'bench',
    hostId: 'bench',
    runId: 'bare',
    taskId: 'plain',
    sample,
    attempt: 1,
    role: 'agent' as const,
  };
  const facts = { user: '', workdir: '/' };
  const suffix = `${process.pid}-${Date.now().toString(36)}`;
  return containerOptions({ image: IMAGE, spec, owner }, facts, SANDBOX_DEFAULTS, suffix, false);
}

async function testsArchive(): Promise<Buffer> {
  const path = `${STAGED.slice(1)}/test.sh`;
  const content = Buffer.from(TEST_SCRIPT);
  const entry = { path, type: 'file' as const, mode: 0o755, mtime: new Date(), content, target: '' };
  return Buffer.from(await writeTar([entry]));
}
