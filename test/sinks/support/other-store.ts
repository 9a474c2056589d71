import type { ArtifactStore } from '../../../src/store/store.js';

/** A store of which some calls are others. */
export function otherStore(store: ArtifactStore, calls: Partial<ArtifactStore>): ArtifactStore {
  return new Proxy(store, {
    get(of, name) {
      const member = calls[name as keyof ArtifactStore] ?? of[name as keyof ArtifactStore];
      return typeof member === 'function' ? member.bind(of) : member;
    },
  });
}

/** What others wait for until it is opened. */
export class Gate {
  open: () => void = () => {};
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}
