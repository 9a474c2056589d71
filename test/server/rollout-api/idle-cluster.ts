import type { RunClient, RunProgress } from '../../../src/temporal/run-client.js';

/** Stands for a cluster: knows the runs that were started there, and works on none. */
export class IdleCluster {
  readonly started: string[] = [];
  readonly cancelled: string[] = [];
  readonly recovered: string[] = [];
  private readonly open = new Map<string, RunProgress['status']>();

  readonly runs = {
    start: async (runId: string) => {
      this.started.push(runId);
      this.open.set(runId, 'running');
    },
    progress: async (runId: string) => {
      const status = this.open.get(runId);
      return status === undefined ? null : { runId, status, reason: null, total: 1, done: 0, running: 0 };
    },
    cancel: async (runId: string) => {
      this.cancelled.push(runId);
    },
    recover: async (runId: string) => {
      this.recovered.push(runId);
      this.open.set(runId, 'running');
      return { incarnation: 2 };
    },
  } as Pick<RunClient, 'start' | 'progress' | 'cancel' | 'recover'> as RunClient;

  /** Its database is gone. */
  forget(): void {
    this.open.clear();
  }
}
