/** What is said of a sink. */
export interface SinkLine {
  name: string;
  queued: number | null;
  delivered: number;
  parked: number;
  skipped: number;
  masked: number;
  policyVersion: string | null;
  lag: number | null;
  note: string | null;
}

/** How far a run that serves has come: groups of the shifts that were opened, and its sinks. */
export interface Serving {
  shifts: number;
  groups: number;
  closed: number;
  sinks: SinkLine[];
}
