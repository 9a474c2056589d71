import { type RolloutApiDeps, rolloutApi } from '../server/rollout-api/index.js';
import { atroposSink } from '../sinks/atropos/index.js';
import { jsonlSink } from '../sinks/jsonl/index.js';
import { listenSink } from '../sinks/listen/http/index.js';
import type { SinkFactories } from '../sinks/sink.js';
import { tinkerSink } from '../sinks/tinker/index.js';

/** How each sink is made. */
export function composeSinks(deps: Pick<RolloutApiDeps, 'runs' | 'environmentOf'>): SinkFactories {
  return {
    atropos: atroposSink,
    listen: listenSink([rolloutApi(deps)]),
    tinker: (run) => tinkerSink(run),
    jsonl: jsonlSink,
  };
}
