import { randomUUID } from 'node:crypto';
import { LongrunError } from '../../core/errors.js';
import type { ImageSource, SandboxSpec } from '../../core/rollout/task.schema.js';
import type { Clock } from '../../core/time.js';
import { PreparedImages } from '../prepared-images.js';
import type {
  Availability,
  CreateSandbox,
  Sandbox,
  SandboxDriver,
  SandboxInfo,
  SandboxOwner,
  SandboxProfile,
} from '../sandbox.js';
import { type BubblewrapImage, buildImage, HOST_IMAGE, namedImage } from './bubblewrap-image.js';
import { BubblewrapSandbox } from './bubblewrap-sandbox.js';
import { unpackSnapshot } from './bubblewrap-snapshot.js';
import { bwrapArguments } from './bwrap-arguments.js';
import { ServerConnection } from './server-connection.js';

const PROFILE: SandboxProfile = {
  adoption: false,
  memoryLimit: false,
  processLimit: false,
  diskLimit: true,
  users: false,
  changedPaths: true,
  processes: true,
  dockerfile: false,
  networkPublic: false,
  snapshots: true,
};

const BUILT_PREFIX = 'bubblewrap:';
const NO_SPEC: SandboxSpec = {
  image: { kind: 'image', name: HOST_IMAGE },
  cpus: null,
  memoryMb: null,
  storageMb: null,
  network: 'none',
  env: {},
  workdir: null,
  healthcheck: null,
};

/** Sandboxes by bubblewrap: a development driver for machines without a container engine. */
export class BubblewrapDriver implements SandboxDriver {
  readonly name = 'bubblewrap';
  readonly profile = PROFILE;
  private readonly sandboxes = new Map<string, BubblewrapSandbox>();
  private readonly images: PreparedImages<BubblewrapImage>;

  constructor(private readonly now: Clock = Date.now) {
    this.images = new PreparedImages(now);
  }

  async probe(): Promise<Availability> {
    try {
      const sandbox = await this.start(await this.image(HOST_IMAGE), BUILD, NEVER);
      await sandbox.destroy();
      return { available: true, detail: 'bubblewrap with user namespaces' };
    } catch (error) {
      const reason = `bubblewrap cannot start a sandbox: ${error instanceof Error ? error.message : String(error)}`;
      return { available: false, reason, hint: hintFor(reason) };
    }
  }

  async prepareImage(
    source: ImageSource,
    loadContext: () => Promise<Uint8Array>,
    signal: AbortSignal,
  ): Promise<string> {
    if (source.kind === 'image') {
      await this.image(source.name);
      return source.name;
    }
    const name = `${BUILT_PREFIX}${source.context.sha256}`;
    try {
      await this.images.prepare(name, () => this.build(loadContext, source.buildTimeoutMs, signal));
    } catch (error) {
      // Whoever began the build may have given up; whoever waits here has not.
      if (!LongrunError.is(error, 'cancelled') || signal.aborted) throw error;
      return this.prepareImage(source, loadContext, signal);
    }
    return name;
  }

  async prepareSnapshot(image: string, loadFiles: () => Promise<Uint8Array>): Promise<string> {
    await this.images.prepare(image, async () => unpackSnapshot(await loadFiles()));
    return image;
  }

  async create(request: CreateSandbox, signal: AbortSignal): Promise<Sandbox> {
    if (request.spec.network === 'public') {
      throw new LongrunError(
        'sandbox_failed',
        'A bubblewrap sandbox has no network, and the task asks for it.',
        {
          hint: 'Use --sandbox docker, or --network none if the task can do without.',
        },
      );
    }
    return this.start(await this.image(request.image), request, signal);
  }

  async adopt(ref: { driver: string; id: string }): Promise<Sandbox | null> {
    return ref.driver === this.name ? (this.sandboxes.get(ref.id) ?? null) : null;
  }

  async list(clusterId: string): Promise<SandboxInfo[]> {
    const all = [...this.sandboxes.values()].map((sandbox) => sandbox.info);
    return all.filter((info) => info.owner.clusterId === clusterId);
  }

  async close(): Promise<void> {
    await Promise.all([...this.sandboxes.values()].map((sandbox) => sandbox.destroy()));
    this.images.clear();
  }

  private async start(
    image: BubblewrapImage,
    request: CreateSandbox,
    signal: AbortSignal,
  ): Promise<BubblewrapSandbox> {
    if (signal.aborted) throw cancelled();
    const line = bwrapArguments(image.root, request.spec.storageMb);
    if (line === null) {
      throw new LongrunError(
        'sandbox_unavailable',
        `The bubblewrap driver does not know the processor ${process.arch}.`,
      );
    }
    const id = randomUUID();
    const connection = new ServerConnection(line);
    const forget = () => this.sandboxes.delete(id);
    const sandbox = new BubblewrapSandbox(
      { driver: this.name, id },
      connection,
      image,
      request,
      this.now(),
      forget,
    );
    this.sandboxes.set(id, sandbox);
    try {
      await connection.ready();
      await sandbox.fill();
      if (signal.aborted) throw cancelled();
      return sandbox;
    } catch (cause) {
      await sandbox.destroy();
      if (LongrunError.is(cause, 'cancelled')) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new LongrunError('sandbox_failed', reason, { retryable: true, cause });
    }
  }

  private image(name: string): Promise<BubblewrapImage> {
    return this.images.prepare(name, async () => {
      if (!name.startsWith(BUILT_PREFIX)) return namedImage(name);
      const message = `The image ${name} was not prepared in this process.`;
      throw new LongrunError('image_missing', message, { retryable: true });
    });
  }

  private async build(
    loadContext: () => Promise<Uint8Array>,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<BubblewrapImage> {
    const base = await this.image(HOST_IMAGE);
    return buildImage(base, await loadContext(), () => this.start(base, BUILD, signal), timeoutMs, signal);
  }
}

const NEVER = new AbortController().signal;
const NOBODY: SandboxOwner = {
  clusterId: '',
  namespace: '',
  hostId: '',
  runId: '',
  taskId: '',
  sample: 0,
  attempt: 0,
  role: 'agent',
};
/** A sandbox of the driver's own: a probe, or a build. */
const BUILD: CreateSandbox = { image: HOST_IMAGE, spec: NO_SPEC, owner: NOBODY };

function cancelled(): LongrunError {
  return new LongrunError('cancelled', 'The sandbox was not made: its creation was cancelled.');
}

function hintFor(reason: string): string {
  if (reason.includes('ENOENT')) return 'Install bubblewrap (Debian and Ubuntu: apt-get install bubblewrap).';
  if (reason.includes('perl')) return 'Install perl (Debian and Ubuntu: apt-get install perl-base).';
  return 'Allow unprivileged user namespaces: sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000; on Ubuntu 24.04 also kernel.apparmor_restrict_unprivileged_userns=0.';
}
