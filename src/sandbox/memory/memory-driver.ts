import { randomUUID } from 'node:crypto';
import { LongrunError } from '../../core/errors.js';
import type { ImageSource } from '../../core/rollout/task.schema.js';
import type { Clock } from '../../core/time.js';
import { PreparedImages } from '../prepared-images.js';
import type {
  Availability,
  CreateSandbox,
  Sandbox,
  SandboxDriver,
  SandboxInfo,
  SandboxProfile,
  SandboxRef,
} from '../sandbox.js';
import { baseImage, buildImage, type MemoryImage } from './memory-image.js';
import { MemorySandbox } from './memory-sandbox.js';

const PROFILE: SandboxProfile = {
  adoption: false,
  memoryLimit: false,
  processLimit: false,
  diskLimit: false,
  users: false,
  changedPaths: true,
  processes: false,
  dockerfile: false,
  networkPublic: false,
  snapshots: false,
};

/** Sandboxes inside this process: an interpreted shell on files in memory. They end with the process. */
export class MemoryDriver implements SandboxDriver {
  readonly name = 'memory';
  readonly profile = PROFILE;
  private readonly sandboxes = new Map<string, MemorySandbox>();
  private readonly builds: PreparedImages<MemoryImage>;
  private base: Promise<MemoryImage> | null = null;

  constructor(private readonly now: Clock = Date.now) {
    this.builds = new PreparedImages(now);
  }

  async probe(): Promise<Availability> {
    return {
      available: true,
      detail: 'in-memory sandbox (an interpreted shell, no isolation by the system)',
    };
  }

  async prepareImage(
    source: ImageSource,
    loadContext: () => Promise<Uint8Array>,
    signal: AbortSignal,
  ): Promise<string> {
    if (source.kind === 'image') return source.name;
    const name = `memory:${source.context.sha256}`;
    try {
      await this.builds.prepare(name, () => this.build(loadContext, source.buildTimeoutMs, signal));
    } catch (error) {
      // Whoever began the build gave up, not whoever waits here.
      if (LongrunError.is(error, 'cancelled') && !signal.aborted) {
        return this.prepareImage(source, loadContext, signal);
      }
      throw error;
    }
    return name;
  }

  async create(request: CreateSandbox, signal: AbortSignal): Promise<Sandbox> {
    if (signal.aborted)
      throw new LongrunError('cancelled', 'The sandbox was not made: its creation was cancelled.');
    if (request.spec.network === 'public') {
      throw new LongrunError(
        'sandbox_failed',
        'The in-memory sandbox has no network, and the task asks for it.',
        {
          hint: 'Use --sandbox docker, or --network none if the task can do without.',
        },
      );
    }
    const image = await this.imageOf(request.image);
    const id = randomUUID();
    const ref: SandboxRef = { driver: this.name, id };
    const sandbox = new MemorySandbox(ref, image, request, this.now(), () => this.sandboxes.delete(id));
    this.sandboxes.set(id, sandbox);
    return sandbox;
  }

  async adopt(ref: SandboxRef): Promise<Sandbox | null> {
    return ref.driver === this.name ? (this.sandboxes.get(ref.id) ?? null) : null;
  }

  async list(clusterId: string): Promise<SandboxInfo[]> {
    const all = [...this.sandboxes.values()].map((sandbox) => sandbox.info);
    return all.filter((info) => info.owner.clusterId === clusterId);
  }

  async close(): Promise<void> {
    await Promise.all([...this.sandboxes.values()].map((sandbox) => sandbox.destroy()));
    this.builds.clear();
  }

  private async build(
    loadContext: () => Promise<Uint8Array>,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<MemoryImage> {
    return buildImage(await this.baseImage(), await loadContext(), timeoutMs, signal);
  }

  private async imageOf(name: string): Promise<MemoryImage> {
    if (!name.startsWith('memory:')) return this.baseImage();
    const build = this.builds.get(name);
    if (build !== undefined) return build;
    throw new LongrunError('image_missing', `The image ${name} was not prepared in this process.`, {
      retryable: true,
    });
  }

  private baseImage(): Promise<MemoryImage> {
    this.base ??= baseImage();
    return this.base;
  }
}
