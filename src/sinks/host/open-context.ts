import type { Logger } from 'pino';
import type { Lifecycle } from '../../core/rollout/lifecycle.js';
import type { SinkName } from '../../core/run/serve-config.schema.js';
import { PolicyLog } from '../../store/policy-log.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import { readPlan } from '../../store/runs.js';
import type { PolicyVersions, SinkContext } from '../sink.js';
import { Allowance } from './allowance.js';
import { START } from './feed-position.js';
import { patiently } from './patiently.js';
import { ProgressKeeper, readProgress } from './progress-keeper.js';
import type { SinkClaim } from './sink-claim.js';
import type { SinkHostParts } from './sink-host-parts.js';
import { StoreFeed } from './store-feed.js';

export interface ContextParts extends Omit<SinkHostParts, 'factories' | 'hostId'> {
  run: RunRecord;
  name: SinkName;
  claim: SinkClaim;
  logger: Logger;
}

/** What an executor of a sink works with; to be closed when it has ended, however that was. */
export async function openContext(
  parts: ContextParts,
  { stopping }: Pick<Lifecycle, 'stopping'>,
): Promise<{ context: SinkContext; closeContext(): Promise<void> }> {
  const { store, run, name, claim, logger, observer, env, now, runs } = parts;
  const { runId } = run;
  // Ends what the context does by itself together with its executor.
  const ended = new AbortController();
  const signal = AbortSignal.any([stopping, ended.signal]);
  const onTrouble = (err: unknown) => logger.debug({ err }, 'the sink waits for trouble to pass');
  const patient = <T>(work: () => Promise<T>) => patiently(work, { signal, onTrouble });
  const [plan, before] = await Promise.all([readPlan(store, runId), readProgress(store, runId, name)]);
  const policies = new PolicyLog(store, runId, now);
  const feed = new StoreFeed({
    ...{ store, run, policies, patient },
    taskIds: plan.tasks.map(({ taskId }) => taskId),
    cursor: before ?? START,
    watch: {
      read: ({ lags, masked }) => {
        progress.noteLag(lags);
        observer.groupRead(name, lags, masked);
      },
      settled: (outcome) => {
        progress.changed();
        observer.groupSettled(name, outcome);
      },
    },
  });
  const progress = new ProgressKeeper(
    { store, runId, sink: name, now, position: feed.position, onTrouble },
    before,
  );
  const inFlight = 2 * Math.ceil(run.config.concurrency / (run.config.groupSize ?? 1));
  const allowance = new Allowance({
    send: (limit) => runs.allow(runId, name, limit),
    close: (limit) => limit - feed.position.groups <= inFlight,
    onTrouble,
    signal,
  });
  const context: SinkContext = {
    ...{ run, name, store, feed, logger, env, now },
    policies: patientPolicies(policies, patient),
    signal: stopping,
    checkFence: () => patient(() => claim.check()),
    allow: async (limit) => allowance.allow(limit),
    finish: () => patient(() => runs.finish(runId)),
    report: (told) => progress.report(told),
  };
  const closeContext = async () => {
    ended.abort();
    await allowance.stopped();
    await progress.flush();
  };
  return { context, closeContext };
}

function patientPolicies(
  policies: PolicyLog,
  patient: <T>(work: () => Promise<T>) => Promise<T>,
): PolicyVersions {
  return {
    latest: () => patient(() => policies.latest()),
    tell: (told) => patient(() => policies.tell(told)),
    lagOf: async (version) => (await patient(() => policies.lagsOf([version])))[0] ?? null,
  };
}
