import { LongrunError } from '../core/errors.js';
import type { AttemptKey } from '../core/ids.js';
import { joinSession, type Session, type SessionOptions } from '../runs/session.js';
import type { DockerDriver } from '../sandbox/docker/index.js';
import type { MadeImage } from '../sandbox/image-keeper.js';
import type { OwnerState } from '../sandbox/reaper.js';
import type { SandboxInfo } from '../sandbox/sandbox.js';
import { openStore } from '../store/index.js';
import { keys } from '../store/keys.js';
import { mapBounded } from '../store/map-bounded.js';
import { readRecord } from '../store/records/records.js';
import { installationSchema } from '../store/records/records.schema.js';
import type { ArtifactStore } from '../store/store.js';
import { dockerDriver } from '../worker/drivers.js';
import { OwnerStates } from '../worker/reaper/owner-state.js';

/** What of a state folder outlives its processes on this host: containers and images of its engine. */
export interface Inventory {
  store: ArtifactStore;
  engine: DockerDriver;
  /** Null when nothing was ever run from this state folder. */
  installation: string | null;
  /** False: only the store can say what became of a sandbox's workflow. */
  clusterAnswers: boolean;
  ownerState(owner: AttemptKey): Promise<OwnerState>;
}

/** Joins a cluster that runs, and starts none. Error: `sandbox_unavailable` when no engine answers. */
export async function withInventory<T>(
  options: SessionOptions,
  use: (inventory: Inventory) => Promise<T>,
): Promise<T> {
  const session = await joinSession(options).catch(withoutCluster);
  try {
    const store = session?.store ?? (await openStore(options.stateDir, options.env));
    const known = await readRecord(store, installationSchema, keys.installation);
    const installation = known?.clusterId ?? null;
    const engine = await dockerDriver(options.stateDir, installation);
    try {
      const answer = await engine.probe();
      if (!answer.available)
        throw new LongrunError('sandbox_unavailable', answer.reason, { hint: answer.hint });
      const ownerState = ownerStates(store, session);
      return await use({ store, engine, installation, clusterAnswers: session !== null, ownerState });
    } finally {
      await engine.close();
    }
  } finally {
    await session?.close();
  }
}

export interface ListedSandbox extends SandboxInfo {
  /** `elsewhere`: another installation's, of which this one knows nothing. */
  ownerState: OwnerState | 'elsewhere';
}

export interface Listing {
  sandboxes: ListedSandbox[];
  images: MadeImage[];
  clusterAnswers: boolean;
}

/** Sandboxes of this installation, oldest first, or of every one on the engine; images that it made. */
export async function listSandboxes(
  options: SessionOptions & { runId: string | null; all: boolean },
): Promise<Listing> {
  return withInventory(options, async ({ engine, installation, clusterAnswers, ownerState }) => {
    const found = await engine.listEverybodys();
    const wanted = found.filter(
      ({ owner }) =>
        (options.all || owner.clusterId === installation) &&
        (options.runId === null || owner.runId === options.runId),
    );
    const sandboxes: ListedSandbox[] = [];
    const stateOf = async ({ owner }: SandboxInfo) =>
      owner.clusterId === installation ? ownerState(owner) : 'elsewhere';
    for await (const { item, result } of mapBounded(wanted, stateOf))
      sandboxes.push({ ...item, ownerState: result });
    sandboxes.sort((a, b) => a.createdAtMs - b.createdAtMs);
    return { sandboxes, images: (await engine.imageKeeper?.list()) ?? [], clusterAnswers };
  });
}

function ownerStates(
  store: ArtifactStore,
  session: Session | null,
): (owner: AttemptKey) => Promise<OwnerState> {
  if (session === null) return (owner) => stateByStore(store, owner);
  const states = new OwnerStates(session.client, store, Date.now);
  return (owner) => states.of(owner);
}

/** Without a cluster: what has a result is finished, and all else may yet be carried on. */
async function stateByStore(store: ArtifactStore, owner: AttemptKey): Promise<OwnerState> {
  const has = (key: string): Promise<boolean> => store.has(key);
  try {
    if ((await has(keys.attemptRecord(owner))) || !(await has(keys.run(owner.runId)))) return 'closed';
    if (await has(keys.replayClaim(owner))) return 'unreachable';
    const sealed = (await has(keys.result(owner))) || (await has(keys.summary(owner.runId)));
    return sealed ? 'closed' : 'unreachable';
  } catch {
    return 'unreachable';
  }
}

function withoutCluster(error: unknown): null {
  if (LongrunError.is(error, 'temporal_unreachable')) return null;
  throw error;
}
