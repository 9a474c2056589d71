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
  /** Operations begun so far, and how many had begun when one last failed: what is older tells nothing of now. */
  private begun = 0;
  private begunAtFailure = 0;

  constructor(
    private readonly store: ArtifactStore,
    private readonly watcher: StoreWatcher,
  ) {}

  get(key: string): Promise<Uint8Array | null> {
    return this.watch('read', () => this.store.get(key));
  }

  has(key: string): Promise<boolean> {
    return this.watch('read', () => this.store.has(key));
  }

  put(key: string, value: Uint8Array, durability?: Durability): Promise<void> {
    return this.watch('write', () => this.store.put(key, value, durability));
  }

  putIfAbsent(key: string, value: Uint8Array, durability?: Durability): Promise<boolean> {
    // What exists already is found without a write.
    return this.watch(
      'write',
      () => this.store.putIfAbsent(key, value, durability),
      (written) => written,
    );
  }

  children(prefix: string): Promise<string[]> {
    return this.watch('read', () => this.store.children(prefix));
  }

  remove(keyOrPrefix: string): Promise<void> {
    // What is not there is removed without a write.
    return this.watch(
      'write',
      () => this.store.remove(keyOrPrefix),
      () => false,
    );
  }

  locate(key: string): string {
    return this.store.locate(key);
  }

  private async watch<T>(
    kind: 'read' | 'write',
    operation: () => Promise<T>,
    isProof: (answer: T) => boolean = () => true,
  ): Promise<T> {
    this.begun++;
    const number = this.begun;
    try {
      const answer = await operation();
      if (this.troubles[kind] && number > this.begunAtFailure && isProof(answer)) this.recovered(kind);
      return answer;
    } catch (error) {
      if (LongrunError.is(error) && error.retryable) this.failed(kind, error);
      throw error;
    }
  }

  private failed(kind: 'read' | 'write', error: LongrunError): void {
    const known = this.troubles.read || this.troubles.write;
    this.troubles[kind] = true;
    this.begunAtFailure = this.begun;
    if (!known) this.watcher.onTrouble(error);
  }

  private recovered(kind: 'read' | 'write'): void {
    this.troubles[kind] = false;
    if (!this.troubles.read && !this.troubles.write) this.watcher.onRecovered();
  }
}
