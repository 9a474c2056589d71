import type { TimeStep, TraceLink, Trajectory } from './trajectory.schema.js';

/**
 * What an evaluation says, in the names that it has on disk: where it was made at all, whether the episode
 * succeeded (`success`: a boolean, or 1.0 and 0.0) and why (`rationale`). An LLM judge may add or omit what it likes.
 */
export interface Evaluation {
  readonly success?: unknown;
  readonly rationale?: unknown;
  readonly [name: string]: unknown;
}

/** agoge's EvaluatedTrajectory: a trajectory with an evaluation, whoever made it. Frozen. */
export abstract class EvaluatedTrajectory<Step extends TimeStep = TimeStep> implements Trajectory {
  readonly timesteps: Step[];
  readonly resetKwargs: Trajectory['resetKwargs'];
  readonly errorInfo: Trajectory['errorInfo'];
  readonly episodeId: string | null;
  readonly schemaVersion: 1;

  protected constructor(fields: Omit<Trajectory, 'timesteps' | keyof TraceLink> & { timesteps: Step[] }) {
    this.timesteps = Object.freeze([...fields.timesteps]) as Step[];
    this.resetKwargs = fields.resetKwargs;
    this.errorInfo = fields.errorInfo;
    this.episodeId = fields.episodeId;
    this.schemaVersion = fields.schemaVersion;
  }

  /** One view for all kinds; `{}` where nobody has evaluated it yet. */
  abstract get evaluation(): Evaluation;
}
