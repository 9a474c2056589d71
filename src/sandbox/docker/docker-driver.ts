import { randomBytes } from 'node:crypto';
import { totalmem } from 'node:os';
import Dockerode from 'dockerode';
import { LongrunError } from '../../core/errors.js';
import type { ImageSource } from '../../core/rollout/task.schema.js';
import type { ImageKeeper } from '../image-keeper.js';
import type {
  Availability,
  CreateSandbox,
  Sandbox,
  SandboxDriver,
  SandboxInfo,
  SandboxProfile,
  SandboxRef,
} from '../sandbox.js';
import {
  containerOptions,
  type ImageFacts,
  SANDBOX_DEFAULTS,
  type SandboxDefaults,
} from './container-options.js';
import { DiskWatchdog } from './disk-watchdog.js';
import { DockerSandbox } from './docker-sandbox.js';
import { engineDiskMeter } from './engine-disk-meter.js';
import { asking, engineStatus, engineWords, toLongrunError } from './engine-error.js';
import { ImageUse } from './image-use.js';
import { Images } from './images.js';
import { LABEL, labelsToOwner, ownerToLabels } from './labels.js';
import { MadeImages } from './made-images.js';
import { isConnected, PublicNetwork } from './network/public-network.js';
import { SandboxNetwork } from './network/sandbox-network.js';

const MIB = 1024 * 1024;

export interface DockerDriverOptions {
  defaults?: Partial<SandboxDefaults>;
  /** Connection of its own; without it DOCKER_HOST and its kin, else the local socket. */
  connection?: Dockerode.DockerOptions;
  /** Whose images it builds, and the folder in which it notes their use; without it nobody removes them. */
  images?: { installation: string; useFolder: string };
}

/** Sandboxes as containers of a Docker engine, by its HTTP API. */
export class DockerDriver implements SandboxDriver {
  readonly name = 'docker';
  private readonly docker: Dockerode;
  readonly imageKeeper?: ImageKeeper;
  private readonly images: Images;
  private readonly defaults: SandboxDefaults;
  private readonly watchdog: DiskWatchdog;
  private readonly network: SandboxNetwork;
  private readonly publicNetwork: PublicNetwork;
  private diskQuota = false;

  constructor(options: DockerDriverOptions = {}) {
    this.docker = new Dockerode(options.connection);
    const { images } = options;
    const maker = images && { installation: images.installation, use: new ImageUse(images.useFolder) };
    this.images = new Images(this.docker, maker);
    if (maker) this.imageKeeper = new MadeImages(this.docker, maker.installation, maker.use);
    // One sandbox alone must not take the whole machine.
    const memoryMb = Math.floor(totalmem() / MIB / 2);
    this.defaults = { ...SANDBOX_DEFAULTS, memoryMb, ...options.defaults };
    this.watchdog = new DiskWatchdog(engineDiskMeter(this.docker));
    this.network = new SandboxNetwork(this.docker);
    this.publicNetwork = new PublicNetwork(this.docker, this.network, this.images);
  }

  /** `diskLimit` is a quota of the engine's, known once `probe` has asked it; without one the watchdog stands in. */
  get profile(): SandboxProfile {
    return {
      adoption: true,
      memoryLimit: true,
      processLimit: true,
      diskLimit: this.diskQuota,
      users: true,
      changedPaths: true,
      processes: true,
      dockerfile: true,
      networkPublic: true,
      snapshots: true,
    };
  }

  async probe(): Promise<Availability> {
    try {
      const info: EngineInfo = await this.docker.info();
      if (info.OSType !== undefined && info.OSType !== 'linux') {
        const reason = `The Docker engine runs ${info.OSType} containers.`;
        return { available: false, reason, hint: 'Switch it to Linux containers.' };
      }
      this.diskQuota = hasDiskQuotas(info);
      return { available: true, detail: `Docker engine ${info.ServerVersion}, ${info.Driver}` };
    } catch (error) {
      return {
        available: false,
        reason: `No Docker engine answers: ${engineWords(error)}`,
        hint: 'Install and start one (Debian, Ubuntu: apt-get install docker.io), or use --sandbox bubblewrap.',
      };
    }
  }

  prepareImage(
    source: ImageSource,
    loadContext: () => Promise<Uint8Array>,
    signal: AbortSignal,
  ): Promise<string> {
    return this.images.prepare(source, loadContext, signal);
  }

  async create(request: CreateSandbox, signal: AbortSignal): Promise<Sandbox> {
    assertWanted(signal);
    const facts = await this.images.facts(request.image);
    const container = await this.createContainer(request, facts);
    const defaults = { user: facts.user, workdir: request.spec.workdir ?? facts.workdir };
    const network = request.spec.network === 'public' ? this.publicNetwork : null;
    const connection = { network, complete: true };
    const sandbox = new DockerSandbox(
      this.docker,
      this.ref(container.id),
      defaults,
      this.watchdog,
      connection,
    );
    try {
      assertWanted(signal);
      const start = () => container.start();
      if (network === null) await start();
      else await network.open(container, ownerToLabels(request.owner), start);
      if (!this.diskQuota) this.watchDisk(container.id, request.spec.storageMb ?? this.defaults.storageMb);
      assertWanted(signal);
      return sandbox;
    } catch (error) {
      await sandbox.destroy();
      throw startFailed(error, request.image);
    }
  }

  /** A snapshot is an image of this engine, which nobody else could give. */
  async prepareSnapshot(image: string): Promise<string> {
    await this.images.facts(image);
    return image;
  }

  async adopt(ref: SandboxRef): Promise<Sandbox | null> {
    if (ref.driver !== this.name) return null;
    try {
      const { Config, NetworkSettings, State } = await this.docker.getContainer(ref.id).inspect();
      // One whose removal failed half-way (a killed engine) is dead, and still has to be removed.
      if (Config.Labels[LABEL.cluster] === undefined || State.Status === 'removing') return null;
      const defaults = { user: Config.Labels[LABEL.defaultUser] ?? '', workdir: Config.WorkingDir || '/' };
      const storageMb = Number(Config.Labels[LABEL.storageMb] ?? 0);
      if (storageMb > 0 && State.Running) this.watchDisk(ref.id, storageMb);
      const network = Config.Labels[LABEL.network] === 'public' ? this.publicNetwork : null;
      const complete = network === null || isConnected(NetworkSettings.Networks);
      return new DockerSandbox(this.docker, ref, defaults, this.watchdog, { network, complete });
    } catch (error) {
      if (engineStatus(error) === 404) return null;
      throw toLongrunError(error, 'looking for a container');
    }
  }

  list(clusterId: string): Promise<SandboxInfo[]> {
    return this.labelled(`${LABEL.cluster}=${clusterId}`);
  }

  /** Of every installation on the engine. */
  listEverybodys(): Promise<SandboxInfo[]> {
    return this.labelled(LABEL.cluster);
  }

  /** The network of `public` sandboxes, where none is on it; answers the names of what went. */
  removeUnusedNetwork(dryRun: boolean): Promise<string[]> {
    return this.network.removeUnused(dryRun);
  }

  async close(): Promise<void> {
    this.watchdog.close();
  }

  private watchDisk(containerId: string, storageMb: number): void {
    this.watchdog.watch(containerId, storageMb * MIB);
  }

  private async labelled(label: string): Promise<SandboxInfo[]> {
    const containers = await asking('listing containers', () =>
      this.docker.listContainers({ all: true, filters: { label: [label] } }),
    );
    return containers.map((container) => ({
      ref: this.ref(container.Id),
      owner: labelsToOwner(container.Labels),
      createdAtMs: container.Created * 1000,
      running: container.State === 'running',
    }));
  }

  private ref(id: string): SandboxRef {
    return { driver: this.name, id };
  }

  private async createContainer(request: CreateSandbox, facts: ImageFacts): Promise<Dockerode.Container> {
    const suffix = randomBytes(4).toString('hex');
    const options = containerOptions(request, facts, this.defaults, suffix, this.diskQuota);
    try {
      return await this.docker.createContainer(options);
    } catch (error) {
      if (this.diskQuota && /storage-opt/i.test(engineWords(error))) {
        this.diskQuota = false;
        return this.createContainer(request, facts);
      }
      if (engineStatus(error) === 404) {
        this.images.forget(request.image);
        await this.images.facts(request.image);
      }
      throw toLongrunError(error, 'creating a container');
    }
  }
}

interface EngineInfo {
  OSType?: string;
  ServerVersion?: string;
  Driver?: string;
  DriverStatus?: [string, string][] | null;
}

/**
 * overlay2 takes a size only on xfs with project quotas, and the engine does not say whether those are on: where
 * they are not, it refuses the container. Btrfs and zfs always do.
 */
function hasDiskQuotas(info: EngineInfo): boolean {
  const backing = info.DriverStatus?.find(([name]) => name === 'Backing Filesystem')?.[1];
  return ['btrfs', 'zfs'].includes(info.Driver ?? '') || (info.Driver === 'overlay2' && backing === 'xfs');
}

function assertWanted(signal: AbortSignal): void {
  if (signal.aborted) throw new LongrunError('cancelled', 'The sandbox is no longer wanted.');
}

function startFailed(error: unknown, image: string): LongrunError {
  const words = engineWords(error);
  if (/\/bin\/sh/.test(words) && engineStatus(error) !== null) {
    return new LongrunError('sandbox_failed', `Image ${image} cannot run /bin/sh: ${words}`, {
      hint: 'Sandboxes need a shell; use an image that has one.',
      cause: error,
    });
  }
  return toLongrunError(error, 'starting a container');
}
