import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type Dockerode from 'dockerode';
import { BASE_IMAGE } from '../../../core/base-image.js';
import { LongrunError } from '../../../core/errors.js';
import { asking, engineStatus, engineWords, toLongrunError } from '../engine-error.js';
import { FrameReader } from '../frames.js';

const OUTPUT_BYTES = 1024 * 1024;
const MEMORY_BYTES = 64 * 1024 * 1024;
const DONE = 'done';

export interface HelperProgram {
  /** Perl, which prints `done` in the end. */
  program: string;
  args: readonly string[];
  /** Whose network it sees: `host`, or `container:<id>`. */
  networkMode: string;
  capabilities: readonly string[];
  /** Those of a sandbox: whoever removes that removes a helper that was left behind as well. */
  labels: Record<string, string>;
}

/** A program of ours that runs once beside a sandbox, in an image of ours: what is in a sandbox's image is hostile. */
export class HelperContainer {
  private constructor(private readonly container: Dockerode.Container) {}

  static async create(docker: Dockerode, helper: HelperProgram): Promise<HelperContainer> {
    try {
      return new HelperContainer(await docker.createContainer(options(helper)));
    } catch (error) {
      if (engineStatus(error) !== 404 || !/no such image/i.test(engineWords(error)))
        throw toLongrunError(error, 'making a helper container');
      throw new LongrunError('image_missing', `There is no image ${BASE_IMAGE}.`, {
        hint: `Sandboxes with a network need it: docker pull ${BASE_IMAGE}`,
        retryable: true,
        cause: error,
      });
    }
  }

  /** What it printed. Error: `sandbox_failed` with its last words. */
  async run(): Promise<string> {
    const frames = new FrameReader(OUTPUT_BYTES);
    const status = await asking('running a helper container', () => this.follow(frames));
    const printed = Buffer.concat(frames.stdout).toString('utf8');
    if (status === 0 && printed.endsWith(`${DONE}\n`)) return printed;
    const words = Buffer.concat(frames.stderr).toString('utf8').trim();
    throw new LongrunError('sandbox_failed', words === '' ? `It ended with status ${status}.` : words);
  }

  /** One that stays behind goes with its sandbox. */
  async remove(): Promise<void> {
    await this.container.remove({ force: true, v: true }).catch(() => undefined);
  }

  private async follow(frames: FrameReader): Promise<number> {
    const attached = await this.container.attach({ stream: true, stdout: true, stderr: true });
    const stream = attached as Duplex;
    try {
      const ended = new Promise((resolve) => stream.once('close', resolve).once('error', resolve));
      stream.on('data', (chunk: Buffer) => frames.push(chunk)).on('end', () => stream.destroy());
      await this.container.start();
      const { StatusCode } = await this.container.wait();
      await ended;
      return StatusCode;
    } finally {
      stream.destroy();
    }
  }
}

function options({ program, args, networkMode, capabilities, labels }: HelperProgram) {
  return {
    name: `longrun-helper-${randomBytes(6).toString('hex')}`,
    Image: BASE_IMAGE,
    Entrypoint: ['/usr/bin/perl', '-e', program, ...args],
    Cmd: [],
    User: '0:0',
    Labels: labels,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      NetworkMode: networkMode,
      CapDrop: ['ALL'],
      CapAdd: [...capabilities],
      ReadonlyRootfs: true,
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: 8,
      Memory: MEMORY_BYTES,
      LogConfig: { Type: 'none', Config: {} },
    },
  } satisfies Dockerode.ContainerCreateOptions;
}
