import type { RunRecord } from '../../store/records/records.schema.js';
import type { Sink } from '../sink.js';
import { RowFolder } from './row-folder.js';

/**
 * Rows in a folder that grows group by group, as `longrun process` writes it. It holds no group back. Manifest and
 * statistics tell of the whole run once that is over.
 */
export function jsonlSink(run: RunRecord): Sink {
  return {
    async run(context) {
      await context.allow(Number.MAX_SAFE_INTEGER);
      const folder = await RowFolder.open(context, run);
      for (;;) {
        const key = await context.feed.next(context.signal);
        if (key === null) break;
        await folder.add(key);
      }
      await folder.end();
    },
    /** Of a run that was cancelled groups may be there that nobody has written. */
    async close(context) {
      const folder = await RowFolder.open(context, run);
      for (;;) {
        const key = await context.feed.poll();
        if (key === null) break;
        await folder.add(key);
      }
      await folder.end();
    },
  };
}
