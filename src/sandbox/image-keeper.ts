/** An image that this installation made on this host: it can be made again, or was asked for. */
export interface MadeImage {
  driver: string;
  name: string;
  /** `task`: built from a task's or a verifier's Dockerfile. `snapshot`: a sandbox as its agent left it. */
  kind: 'task' | 'snapshot';
  /** With everything that it shares with other images. */
  bytes: number;
  createdAtMs: number;
  lastUsedAtMs: number;
  /** A sandbox was made of it, another image builds on it, or somebody gave it a name of their own. */
  inUse: boolean;
  /** The run that a snapshot was taken in. */
  runId: string | null;
}

/** What a driver's engine keeps besides sandboxes. Knows only images that this installation made. */
export interface ImageKeeper {
  list(): Promise<MadeImage[]>;
  /** False when it turned out to be in use. Gone already is removed. */
  remove(image: MadeImage): Promise<boolean>;
  /** The folder on whose disk images lie; null where this process cannot see it (an engine elsewhere). */
  dataRoot(): Promise<string | null>;
}
