import type { RunView } from '../../runs/status/run-view.js';
import type { RolloutResult } from '../../store/records/records.schema.js';

/** What watches a run and shows it. */
export interface LiveView {
  /** A new moment of the run, with the results that came since the last one. */
  update(view: RunView, finished: readonly RolloutResult[]): void;
  /** One more line for the person: shown until replaced. */
  note(text: string | null): void;
  /** Writes lines of others (logs) without tearing the view. */
  print(text: string): void;
  /** Leaves the last moment on the screen and gives the terminal back. */
  close(): void;
}
