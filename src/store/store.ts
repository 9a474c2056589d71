/**
 * What a value has to outlive once its write has returned. `power`: a power cut, too; for everything
 * that was paid for or finished. `process`: the death of any process; for what is worth nothing
 * without the sandbox that a power cut would take along (fences, intents, journals).
 */
export type Durability = 'power' | 'process';

/**
 * Where everything a run has achieved is kept; Temporal's history is a cache of it.
 * Keys are slash-separated names (`runs/<id>/run.json`). Values are whole: a reader sees a
 * value that some writer finished, or none.
 * Errors: `store_unavailable` (retryable), `store_full` (retryable).
 */
export interface ArtifactStore {
  get(key: string): Promise<Uint8Array | null>;
  /** Whether the key has a value, without reading it. */
  has(key: string): Promise<boolean>;
  /** Replaces atomically. */
  put(key: string, value: Uint8Array, durability?: Durability): Promise<void>;
  /** True when this call wrote the value; false when the key already had one. */
  putIfAbsent(key: string, value: Uint8Array, durability?: Durability): Promise<boolean>;
  /** Names of the direct children under `prefix` (no trailing slash): files and folders, sorted. */
  children(prefix: string): Promise<string[]>;
  /** Removes a key, or everything under a prefix that ends in a slash. */
  remove(keyOrPrefix: string): Promise<void>;
  /** For people: where a key can be looked at (a path or a URL). */
  locate(key: string): string;
}
