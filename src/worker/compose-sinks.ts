import { LongrunError } from '../core/errors.js';
import type { SinkName } from '../core/serve-config.schema.js';
import { listenSink } from '../server/index.js';
import { type RolloutApiDeps, rolloutApi } from '../server/rollout-api/index.js';
import { jsonlSink } from '../sinks/jsonl/index.js';
import type { SinkFactories, SinkFactory } from '../sinks/sink.js';

/** How each sink is made. */
export function composeSinks(deps: Pick<RolloutApiDeps, 'runs' | 'environmentOf'>): SinkFactories {
  return {
    atropos: missing('atropos'),
    listen: listenSink([rolloutApi(deps)]),
    tinker: missing('tinker'),
    jsonl: jsonlSink,
  };
}

const missing =
  (name: SinkName): SinkFactory =>
  () => {
    throw new LongrunError('internal', `the sink ${name} is not available`);
  };
