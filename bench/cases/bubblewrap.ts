import { rolloutWorkflowId } from '../../src/core/ids.js';
import { BenchHost } from '../bench-host.js';
import type { BenchCase } from '../measure.js';
import { atLeast, atMost, perSecond } from '../measure.js';
import { NoopWorker } from '../noop-worker.js';

const CONCURRENCY = 32;
const ROLLOUTS = 200;
const TURNS = 5;
const WARM_UP = 32;

/** Rollouts of five turns in bubblewrap, against as many workflows of no-op activities on the same server. */
export const bubblewrap: BenchCase = async (say) => {
  const host = await BenchHost.open();
  try {
    await host.startWorker(CONCURRENCY);
    const noop = await NoopWorker.start(host.session);
    const plan = (samples: number) =>
      host.plan({
        model: `scripted/turns-${TURNS}`,
        sandbox: 'bubblewrap',
        samples,
        concurrency: CONCURRENCY,
      });
    const warmUp = await plan(WARM_UP);
    await host.finish(warmUp);
    const activities = await activitiesPerRollout(host, warmUp, WARM_UP);
    await noop.run(WARM_UP, activities, CONCURRENCY);

    // Half before and half after, so that both see the same machine and a database of the same size.
    const before = await noop.run(ROLLOUTS / 2, activities, CONCURRENCY);
    const ours = perSecond(ROLLOUTS, await host.finish(await plan(ROLLOUTS)));
    const after = await noop.run(ROLLOUTS / 2, activities, CONCURRENCY);
    await noop.close();
    say(
      `no-op before ${perSecond(ROLLOUTS / 2, before).toFixed(1)}/s, longrun ${ours.toFixed(1)}/s, no-op after ${perSecond(ROLLOUTS / 2, after).toFixed(1)}/s`,
    );
    const bare = perSecond(ROLLOUTS, before + after);
    const size = `${ROLLOUTS} at concurrency ${CONCURRENCY}, server on disk`;
    return [
      {
        name: 'bubblewrap, 5 turns: longrun',
        value: ours,
        unit: '/s',
        target: null,
        note: `rollouts; ${size}`,
      },
      {
        name: 'no-op workflows',
        value: bare,
        unit: '/s',
        target: null,
        note: `of ${activities} activities; ${size}`,
      },
      {
        name: 'bubblewrap: share of no-op',
        value: (100 * ours) / bare,
        unit: '%',
        target: atLeast(70),
        note: '',
      },
      {
        name: 'activities per rollout',
        value: activities,
        unit: '',
        target: atMost(5),
        note: 'most of any rollout, from the histories',
      },
    ];
  } finally {
    await host.close();
  }
};

/** The most activities that any rollout of a run scheduled, from its history. */
async function activitiesPerRollout({ session }: BenchHost, runId: string, samples: number): Promise<number> {
  let most = 0;
  for (let sample = 0; sample < samples; sample++) {
    const handle = session.client.workflow.getHandle(rolloutWorkflowId({ runId, taskId: 'plain', sample }));
    const { events } = await handle.fetchHistory();
    const scheduled = events?.filter((event) => event.activityTaskScheduledEventAttributes != null) ?? [];
    most = Math.max(most, scheduled.length);
  }
  return most;
}
