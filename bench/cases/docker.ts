import { bareEngine } from '../bare-engine.js';
import { BenchHost } from '../bench-host.js';
import type { BenchCase } from '../measure.js';
import { atLeast, median, perSecond } from '../measure.js';

const CONCURRENCY = 8;
const ROLLOUTS = 24;
const ROUNDS = 3;
const WARM_UP = 8;

/** Rollouts of the nop agent in containers, against the engine alone; in turns, so that both see the same machine. */
export const docker: BenchCase = async (say) => {
  const host = await BenchHost.open();
  try {
    await host.startWorker(CONCURRENCY);
    const ours = async (samples: number) =>
      host.finish(await host.plan({ agent: 'nop', sandbox: 'docker', samples, concurrency: CONCURRENCY }));
    await bareEngine(WARM_UP, CONCURRENCY);
    await ours(WARM_UP);
    const bare: number[] = [];
    const longrun: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      bare.push(perSecond(ROLLOUTS, await bareEngine(ROLLOUTS, CONCURRENCY)));
      longrun.push(perSecond(ROLLOUTS, await ours(ROLLOUTS)));
      say(`engine alone ${bare.at(-1)?.toFixed(2)}/s, longrun ${longrun.at(-1)?.toFixed(2)}/s`);
    }
    const ratios = longrun.map((rate, i) => (100 * rate) / (bare[i] ?? Number.NaN));
    const size = `${ROUNDS} × ${ROLLOUTS} at concurrency ${CONCURRENCY}, in turns`;
    return [
      {
        name: 'docker, nop: longrun',
        value: median(longrun),
        unit: '/s',
        target: null,
        note: `rollouts; ${size}`,
      },
      {
        name: 'docker, engine alone',
        value: median(bare),
        unit: '/s',
        target: null,
        note: 'create, start, upload, exec, remove',
      },
      {
        name: 'docker: share of the engine',
        value: median(ratios),
        unit: '%',
        target: atLeast(80),
        note: 'median of the rounds',
      },
    ];
  } finally {
    await host.close();
  }
};
