import type { PartitionInput, RolloutPolicy, ShiftOrders } from '../src/core/run/workflow-messages.js';
import type { Conductor } from './run-rollout.js';

/** What the parts of a partition share. */
export interface PartitionWork extends Conductor {
  input: PartitionInput;
  /** Id of the workflow of its run. */
  runWorkflow: string;
  /** Of what is started from now on. */
  policy: RolloutPolicy;
  /** What a shift may start; without limit in other partitions. */
  orders: ShiftOrders;
  /** The whole window of the run. */
  concurrency: number;
  /** Tells the run what is still in flight once nothing is left to start. */
  tellTail(): Promise<void>;
}

/** A rollout or a group: started when it fits, in order. */
export interface Unit {
  fits(): boolean;
  /** It will never be started, and nothing after it. */
  isDropped(): boolean;
  /** Rejects only where it could not be started: what became of it is in the store. */
  run(): Promise<void>;
}
