import type { ContainerCreateOptions } from 'dockerode';
import type { CreateSandbox } from '../sandbox.js';
import { SPOOL_DIRECTORY, USER_SPOOLS_DIRECTORY } from '../spool.js';
import { containerName, LABEL, ownerToLabels } from './labels.js';
import { PID_ONE_SCRIPT } from './pid-one.js';

const MIB = 1024 * 1024;
const SPOOL_MB = 64;

/** Of its kernel's choice of victims when the whole machine is out of memory: sandboxes before the machine's own. */
const OOM_SCORE = 500;

/** What the driver gives a sandbox whose task asks for nothing. */
export interface SandboxDefaults {
  processes: number;
  cpus: number | null;
  memoryMb: number | null;
  storageMb: number;
}

export const SANDBOX_DEFAULTS: SandboxDefaults = {
  processes: 512,
  cpus: null,
  memoryMb: null,
  storageMb: 10_240,
};

/** What an image says of itself that a container of ours needs to know. */
export interface ImageFacts {
  user: string;
  workdir: string;
}

/** Output of commands counts against the memory of the container, so a small one gets a small spool. */
export function spoolMb(memoryMb: number | null): number {
  return memoryMb === null ? SPOOL_MB : Math.max(4, Math.min(SPOOL_MB, Math.floor(memoryMb / 8)));
}

/** The engine's words for a sandbox. */
export function containerOptions(
  request: CreateSandbox,
  facts: ImageFacts,
  defaults: SandboxDefaults,
  suffix: string,
  diskQuota: boolean,
): ContainerCreateOptions {
  const { spec, owner } = request;
  const cpus = spec.cpus ?? defaults.cpus;
  const memoryMb = spec.memoryMb ?? defaults.memoryMb;
  const memory = memoryMb === null ? {} : { Memory: memoryMb * MIB, MemorySwap: memoryMb * MIB };
  const storageMb = spec.storageMb ?? defaults.storageMb;
  const disk = diskQuota ? { StorageOpt: { size: `${storageMb}M` } } : {};
  // Without a quota the watchdog of whichever process drives the container reads its limit from there.
  const watched: Record<string, string> = diskQuota ? {} : { [LABEL.storageMb]: String(storageMb) };
  return {
    name: containerName(owner, suffix),
    Image: request.image,
    // Overrides what the image would start: a sandbox runs commands, it is not a service.
    Entrypoint: ['/bin/sh', '-c', PID_ONE_SCRIPT],
    Cmd: [],
    User: '0:0',
    // PID 1 ignores the gentle ones: the engine's own stop would only wait for it.
    StopSignal: 'SIGKILL',
    WorkingDir: spec.workdir ?? facts.workdir,
    Env: Object.entries(spec.env).map(([name, value]) => `${name}=${value}`),
    Labels: {
      ...ownerToLabels(owner),
      [LABEL.defaultUser]: facts.user,
      [LABEL.network]: spec.network,
      ...watched,
    },
    // The image's own check would run commands behind the agent's back.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      ...memory,
      ...disk,
      ...(cpus === null ? {} : { NanoCpus: Math.round(cpus * 1e9) }),
      PidsLimit: defaults.processes,
      OomScoreAdj: OOM_SCORE,
      // A `public` one is connected once its namespace is shielded.
      NetworkMode: 'none',
      CapDrop: ['NET_RAW', 'MKNOD'],
      SecurityOpt: ['no-new-privileges'],
      Init: false,
      // PID 1 says nothing; a log file per container would be made and removed for it.
      LogConfig: { Type: 'none', Config: {} },
      Tmpfs: {
        [SPOOL_DIRECTORY]: `rw,nosuid,nodev,noexec,mode=700,size=${spoolMb(memoryMb)}m`,
        // Apart from root's, which other users could otherwise fill up.
        [USER_SPOOLS_DIRECTORY]: `rw,nosuid,nodev,noexec,mode=1777,size=${spoolMb(memoryMb)}m`,
      },
    },
  };
}
