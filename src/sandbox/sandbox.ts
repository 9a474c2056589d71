import type { ImageSource, SandboxSpec } from '../core/rollout/task.schema.js';
import type { ImageKeeper } from './image-keeper.js';

/** Enough to find a sandbox again from any process on its host. */
export interface SandboxRef {
  driver: string;
  id: string;
}

/** Who a sandbox belongs to; drivers keep it where it survives the process (container labels). */
export interface SandboxOwner {
  /** The installation (artifact store) it belongs to. */
  clusterId: string;
  namespace: string;
  hostId: string;
  runId: string;
  taskId: string;
  sample: number;
  attempt: number;
  /** `agent`, or `verifier` for a separate verification sandbox. */
  role: 'agent' | 'verifier';
}

export interface CreateSandbox {
  /** As `SandboxDriver.prepareImage` answered. */
  image: string;
  spec: SandboxSpec;
  owner: SandboxOwner;
}

export interface SandboxInfo {
  ref: SandboxRef;
  owner: SandboxOwner;
  createdAtMs: number;
  running: boolean;
}

/** What a driver can promise; the conformance suite asks for exactly this. */
export interface SandboxProfile {
  /** A sandbox outlives the process that made it and can be adopted by the next. */
  adoption: boolean;
  memoryLimit: boolean;
  processLimit: boolean;
  diskLimit: boolean;
  /** Several users inside (chown, su, an agent that is not root). */
  users: boolean;
  /** `changedPaths` answers. */
  changedPaths: boolean;
  /** Real processes, signals, background jobs. False for the in-memory sandbox. */
  processes: boolean;
  /** Builds Dockerfiles completely. False: the subset that the driver's README names. */
  dockerfile: boolean;
  networkPublic: boolean;
  /** `Sandbox.snapshot` keeps the file system for sandboxes to come. */
  snapshots: boolean;
}

export interface ExecRequest {
  /** Run by `/bin/sh -c`. */
  script: string;
  /** Absolute; null = the sandbox's working directory. */
  cwd: string | null;
  env: Record<string, string>;
  /** Null = the sandbox's default user. */
  user: string | null;
  /** Milliseconds from the start of the command until its whole process group is killed. */
  timeoutMs: number;
  /** Bytes of combined stdout and stderr delivered: half from the head, half from the tail. */
  outputLimitBytes: number;
  /** Delivered whole before end-of-file, or the command is not run. */
  stdin: Uint8Array | null;
}

/** Output of a command, bounded: `head` and `tail` are whole when `omittedBytes` is 0 (then `tail` is empty). */
export interface BoundedOutput {
  head: Uint8Array;
  tail: Uint8Array;
  omittedBytes: number;
}

/** The same shape whatever happened. */
export interface ExecResult {
  /** Null when the command was killed or its status is unknown. */
  exitCode: number | null;
  output: BoundedOutput;
  timedOut: boolean;
  /** Killed on request (cancellation). */
  killed: boolean;
  /** The engine has forgotten the command and left no trace: it is never run again. */
  outcomeUnknown: boolean;
  durationMs: number;
}

/** An exec object: created, put in the store, then started. JSON, so that another process can attach to it. */
export interface ExecHandle {
  execId: string;
}

export interface ChangedPath {
  path: string;
  kind: 'added' | 'modified' | 'deleted';
}

export interface SandboxState {
  running: boolean;
  /** Why it is not running: ended or out of memory from inside (the agent's doing), or from outside. */
  ended: 'inside' | 'outside' | null;
  oomKilled: boolean;
}

/** A kept file system: the image that `SandboxDriver.prepareSnapshot` is asked for, and its files where the driver keeps none. */
export interface SandboxSnapshot {
  image: string;
  files: Uint8Array | null;
}

/** One isolated container of one attempt. Errors: `sandbox_gone`, `sandbox_failed` (retryable says). */
export interface Sandbox {
  readonly ref: SandboxRef;
  /** Where commands start that name no other folder. */
  readonly workdir: string;
  /** Who runs commands that name nobody; empty for root. */
  readonly user: string;
  /** Makes the exec object; nothing runs yet. */
  createExec(request: ExecRequest): Promise<ExecHandle>;
  /** Whether it was ever started, by anyone; an id that the engine no longer knows counts as started. */
  execStarted(handle: ExecHandle): Promise<boolean>;
  /** Starts it. A second start is refused with `exec_already_started`, whoever asks. */
  startExec(handle: ExecHandle, request: ExecRequest): Promise<void>;
  /**
   * Waits for the end of the main process, enforcing `timeoutMs`, from this or any later process.
   * When `signal` aborts it detaches and rejects; the command runs on (use `killExec`).
   */
  awaitExec(handle: ExecHandle, request: ExecRequest, signal: AbortSignal): Promise<ExecResult>;
  /** Kills the command's whole process group; harmless when it has ended. */
  killExec(handle: ExecHandle): Promise<void>;
  /** Unpacks an uncompressed tar into `directory` (made if missing), as root, parents kept. */
  putArchive(directory: string, tar: Uint8Array): Promise<void>;
  /** A tar of `path` (its last component is the root entry); null when there is none. At most `limitBytes`. */
  getArchive(path: string, limitBytes: number): Promise<Uint8Array | null>;
  /** Paths that differ from the image; null when the driver cannot tell. */
  changedPaths(): Promise<ChangedPath[] | null>;
  state(): Promise<SandboxState>;
  /** Keeps the file system as it is now; processes are not kept. Missing where the driver makes none. */
  snapshot?(): Promise<SandboxSnapshot>;
  /** Gives the verifier the disk that was kept back from an agent, whose processes end where it is full. Missing where none is. */
  freeReserve?(): Promise<void>;
  /** Ends every process but PID 1 and starts afresh on the same file system (level `restarted`). */
  restart(): Promise<void>;
  /** Removes it with all its processes; idempotent. */
  destroy(): Promise<void>;
}

export type Availability =
  | { available: true; detail: string }
  | { available: false; reason: string; hint: string };

/** Makes, finds and lists sandboxes of one kind on this host. */
export interface SandboxDriver {
  readonly name: 'docker' | 'bubblewrap' | 'memory';
  readonly profile: SandboxProfile;
  /** Missing where the driver leaves no images on the host. */
  readonly imageKeeper?: ImageKeeper;
  /** Asks the engine itself; a client on PATH proves nothing. */
  probe(): Promise<Availability>;
  /**
   * Makes sure that an image is there and answers its name; builds of the same source are shared.
   * Errors: `image_build_failed` (not retryable, `details.log` holds the last lines), `image_missing`
   * (retryable where it may be had later; `details.retryAfterMs` where its registry asks for a wait).
   */
  prepareImage(
    source: ImageSource,
    loadContext: () => Promise<Uint8Array>,
    signal: AbortSignal,
  ): Promise<string>;
  /** Makes a snapshot ready for `create` and answers its image's name. Errors: `image_missing`. */
  prepareSnapshot?(image: string, loadFiles: () => Promise<Uint8Array>): Promise<string>;
  create(request: CreateSandbox, signal: AbortSignal): Promise<Sandbox>;
  /** The living sandbox behind a ref, or null when it is gone. A stopped one is answered: ask its `state`. */
  adopt(ref: SandboxRef): Promise<Sandbox | null>;
  /** All sandboxes of one installation on this host, running or not. */
  list(clusterId: string): Promise<SandboxInfo[]>;
  close(): Promise<void>;
}
