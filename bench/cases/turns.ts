import { readStepHistory } from '../../src/rollout/turns/step-history.js';
import { BenchHost } from '../bench-host.js';
import type { BenchCase } from '../measure.js';
import { atMost, median } from '../measure.js';

const TURNS = 50;
const ROLLOUTS = 6;

/**
 * What a turn costs beside the model and the tools: from the start of a call to the start of the
 * next, less the recorded latency and tool time in between.
 */
export const turns: BenchCase = async () => {
  const host = await BenchHost.open();
  try {
    await host.startWorker(4);
    const runId = await host.plan({
      model: `scripted/turns-${TURNS}`,
      sandbox: 'memory',
      samples: ROLLOUTS,
      concurrency: 1,
    });
    await host.finish(runId);
    const overheads: number[] = [];
    // The first rollout warms the process up.
    for (let sample = 1; sample < ROLLOUTS; sample++) {
      overheads.push(...(await overheadsOf(host, runId, sample)));
    }
    const mean = overheads.reduce((sum, ms) => sum + ms, 0) / overheads.length;
    const note = `${overheads.length} turns of scripted/turns-${TURNS}, memory sandbox, store on disk; mean ${mean.toFixed(1)} ms`;
    return [
      { name: 'overhead per turn, p50', value: median(overheads), unit: 'ms', target: atMost(5), note },
    ];
  } finally {
    await host.close();
  }
};

async function overheadsOf(
  { session: { store } }: BenchHost,
  runId: string,
  sample: number,
): Promise<number[]> {
  const key = { runId, taskId: 'plain', sample, attempt: 1 };
  const { turns: taken } = await readStepHistory(store, key, 0);
  return taken.slice(1).map((next, i) => {
    const { call, results } = taken[i] as (typeof taken)[number];
    const tools = results.reduce((sum, result) => sum + result.durationMs, 0);
    return next.call.startedAt - call.startedAt - call.latencyMs - tools;
  });
}
