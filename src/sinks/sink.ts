import type { Logger } from 'pino';
import type { GroupKey } from '../core/ids.js';
import type { SinkName } from '../core/run/serve-config.schema.js';
import type { Clock } from '../core/time.js';
import type { Episode } from '../core/trajectory/episode.schema.js';
import type { GroupRecord } from '../store/records/group.schema.js';
import type { RunRecord } from '../store/records/records.schema.js';
import type { Policy } from '../store/records/serve.schema.js';
import type { ArtifactStore } from '../store/store.js';

/** A closed group of a run, as a sink takes it. */
export interface FedGroup {
  key: GroupKey;
  record: GroupRecord;
  /** Those members that have a trajectory, by sample; turns of a policy that is too old now are masked. */
  episodes: Episode[];
  /** For each of them, how many versions of the policy have come since its first turn; null = not known. */
  lags: readonly (number | null)[];
  /** How many of them are masked. */
  masked: number;
}

/** How the feed is done with a group, as far as a sink is concerned; why is in the sink's own ledger. */
export type Outcome = 'delivered' | 'parked' | 'skipped';

/** The closed groups of a run in the order of their closing, each once per reader. */
export interface Feed {
  /** Closed groups so far, whoever has read them. */
  closed(): Promise<number>;
  /**
   * The next group that this reader has not had; waits for it. Null when the run has ended and nothing is left.
   * Throws the reason of `signal` when that fires meanwhile.
   */
  next(signal: AbortSignal): Promise<GroupKey | null>;
  /** The same without waiting; null when there is none at the moment. */
  poll(): Promise<GroupKey | null>;
  /** The run has ended, and this reader has had all its groups. */
  ended(): Promise<boolean>;
  /** Its record and its rollouts; lag is judged at the moment of the call. */
  read(key: GroupKey): Promise<FedGroup>;
  /**
   * This sink needs the group no more: its ledger says so, durably. Executors after this one are not given it again
   * (but for the last few, whose delivery the ledger knows). `masked`: rollouts of it that went masked.
   */
  settled(key: GroupKey, outcome: Outcome, masked?: number): void;
}

/** The versions of a run's policy. A number counts those before it: the lag of a rollout is a difference of two. */
export interface PolicyVersions {
  latest(): Promise<Policy | null>;
  /** Notes that the weights are these now; a model or base URL that is not given stays. Saying the same again changes nothing. */
  tell(
    policy: Pick<Policy, 'version' | 'source'> & Partial<Pick<Policy, 'model' | 'baseUrl'>>,
  ): Promise<void>;
  /** How many versions have come since this one; null for one that nobody told of. */
  lagOf(version: string | null): Promise<number | null>;
}

/** What a sink says of itself, for people who look at the run; what is left out stays as it was said. */
export interface SinkReport {
  /** Groups that wait at the sink; without it: those that are closed and not settled. */
  queued?: number;
  /** More numbers, by name. */
  counts?: Record<string, number>;
  /** One line: where it listens, whom it waits for. */
  note?: string | null;
}

/** What a sink is given to work with. */
export interface SinkContext {
  run: RunRecord;
  name: SinkName;
  store: ArtifactStore;
  feed: Feed;
  policies: PolicyVersions;
  logger: Logger;
  env: NodeJS.ProcessEnv;
  now: Clock;
  /** Fires when this executor has to stop: another goes on where it stood. Nothing is taken leave of. */
  signal: AbortSignal;
  /** Throws `fenced` when a newer executor of this sink has begun. To be asked before every effect on a peer. */
  checkFence(): Promise<void>;
  /**
   * Groups of the run's sequence with a number below `limit` may be started, as far as this sink is concerned; those
   * that run are never touched. A sink that holds groups back says so before anything is started.
   */
  allow(limit: number): Promise<void>;
  /** The trainer needs no more: nothing new is started, what runs ends in order. */
  finish(): Promise<void>;
  /** Takes effect on what `runs show` says, within seconds. */
  report(told: SinkReport): void;
}

/** Where the groups of a run go. What it has done it knows from the store alone: any executor may be its last. */
export interface Sink {
  /** Works until everything of a run that has ended is delivered, or `signal` fires. */
  run(context: SinkContext): Promise<void>;
  /** Once the run is over: takes leave of the peer. May be called again after a crash. */
  close(context: SinkContext, status?: 'finished' | 'cancelled'): Promise<void>;
}

/** Makes a sink for a run whose settings ask for it. */
export type SinkFactory = (run: RunRecord) => Sink;
export type SinkFactories = Readonly<Record<SinkName, SinkFactory>>;
