import type { RunRecord } from '../../store/records/records.schema.js';
import type { Sink } from '../sink.js';
import { atroposUrl } from './atropos-api.js';
import { takeLeave } from './leave.js';
import { PRODUCER_OPTIONS, Producer, type ProducerOptions } from './producer.js';

export { atroposUrl } from './atropos-api.js';

/** Posts a run's groups to an Atropos server, as a producer beside others. */
export function atroposSink({ config }: RunRecord, options: Partial<ProducerOptions> = {}): Sink {
  const base = atroposUrl(config.serve?.atropos ?? '');
  return {
    run: (context) => new Producer(context, base, { ...PRODUCER_OPTIONS, ...options }).work(),
    close: (context) => takeLeave(context, base),
  };
}
