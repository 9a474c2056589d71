import type { RolloutKey } from '../../core/ids.js';
import type { ArtifactStore } from '../../store/store.js';

/** What a name on the command line stands for. */
export type InputSource =
  | { kind: 'run'; name: string; store: ArtifactStore; runId: string }
  | { kind: 'rollout'; name: string; store: ArtifactStore; rollout: RolloutKey }
  /** `found`: in a folder, by its name; such a file may hold something else and is left out then. */
  | { kind: 'file'; name: string; path: string; found: boolean };
