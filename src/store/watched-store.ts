import { LongrunError } from '../core/errors.js';
import type { ArtifactStore, Durability } from './store.js';

export interface StoreWatcher {
  /** Once per trouble, whatever number of operations meets it. */
  onTrouble(error: LongrunError): void;
  onRecovered(): void;
}

/** Passes everything on and tells when the store stops answering, and when it does again. */
export class WatchedStore implements ArtifactStore {
  /** A disk that is full, or was made read-only, can still be read: each kind recovers by itself. */
  private readonly troubles = { read: false, write: false };

  constructor(
    private readonly store: ArtifactStore,
    private readonly watcher: StoreWatcher,
  ) {}

  get(key: string): Promise<Uint8Array | null> {
    return this.watch('read', () => this.store.get(key));
  }

  put(key: string, value: Uint8Array, durability?: Durability): Promise<void> {
    return this.watch('write', () => this.store.put(key, value, durability));
  }

  putIfAbsent(key: string, value: Uint8Array, durability?: Durability): Promise<boolean> {
    return this.watch('write', () => this.store.putIfAbsent(key, value, durability));
  }

  children(prefix: string): Promise<string[]> {
    return this.watch('read', () => this.store.children(prefix));
  }

  remove(keyOrPrefix: string): Promise<void> {
    return this.watch('write', () => this.store.remove(keyOrPrefix));
  }

  locate(key: string): string {
    return this.store.locate(key);
  }

  private async watch<T>(kind: 'read' | 'write', operation: () => Promise<T>): Promise<T> {
    try {
      const answer = await operation();
      if (this.troubles[kind]) this.recovered(kind);
      return answer;
    } catch (error) {
      if (LongrunError.is(error) && error.retryable) this.failed(kind, error);
      throw error;
    }
  }

  private failed(kind: 'read' | 'write', error: LongrunError): void {
    const known = this.troubles.read || this.troubles.write;
    this.troubles[kind] = true;
    if (!known) this.watcher.onTrouble(error);
  }

  private recovered(kind: 'read' | 'write'): void {
    this.troubles[kind] = false;
    if (!this.troubles.read && !this.troubles.write) this.watcher.onRecovered();
  }
}
