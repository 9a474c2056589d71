import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groupWorkflowId, partitionWorkflowId, runWorkflowId } from '../../../src/core/ids.js';
import type { ServeConfig } from '../../../src/core/run/serve-config.schema.js';
import { keys } from '../../../src/store/keys.js';
import type { LongrunHost } from '../../support/longrun-host.js';
import { serveConfig } from '../../support/serve-config.js';
import { until } from '../../support/until.js';
import { recordingsOn, SLOW, task } from './recordings.js';

let hostId = '';
const recording = recordingsOn(async (host) => {
  ({ hostId } = await host.startWorker({ sliceMs: 300 }));
});
const serveOf = (runId: string) => runWorkflowId('serve', runId);

async function plan(
  host: LongrunHost,
  runId: string,
  groups: number | null,
  changes: Partial<ServeConfig> = {},
) {
  const jsonl = join(await mkdtemp(join(tmpdir(), 'longrun-record-')), 'rows');
  const serve = serveConfig({ jsonl, hostId, shiftRollouts: 2, keepZeroVariance: true, ...changes });
  await host.plan(runId, [await task('one')], { ...SLOW, groupSize: 2, groups, concurrency: 2, serve });
}

const closed = (host: LongrunHost, runId: string, index: number) =>
  until(async () => (await host.store.get(keys.group(runId, 'one', index))) !== null);

const begun = (host: LongrunHost, runId: string, sample: number) =>
  until(async () => (await host.store.children(keys.attempts({ runId, taskId: 'one', sample }))).length > 0);

recording(
  'a run that serves, through shifts and a limit, to its end',
  {
    'serve-finished': serveOf('served'),
    'partition-shift': partitionWorkflowId('served', 1),
    'group-served': groupWorkflowId({ runId: 'served', taskId: 'one', index: 1 }),
  },
  async (host) => {
    await plan(host, 'served', 3, { shiftRollouts: 4 });
    const done = host.finish('served');
    await begun(host, 'served', 0);
    await host.runs.allow('served', 'jsonl', 1);
    await closed(host, 'served', 0);
    await host.runs.allow('served', 'jsonl', 2);
    await closed(host, 'served', 1);
    await host.runs.pause('served');
    await until(async () => (await host.runs.progress('served'))?.status === 'paused');
    await host.runs.resume('served');
    await host.runs.allow('served', 'jsonl', Number.MAX_SAFE_INTEGER);
    await done;
  },
);

recording(
  'a run that serves, continued as new, whose trainer needs no more',
  { 'serve-carried': serveOf('carried'), 'partition-dropped': partitionWorkflowId('carried', 2) },
  async (host) => {
    await plan(host, 'carried', null, { shiftRollouts: 4, shiftsPerHistory: 2 });
    const done = host.finish('carried');
    await begun(host, 'carried', 8);
    await host.runs.finish('carried');
    await done;
  },
);

recording('a run that serves and is cancelled', { 'serve-cancelled': serveOf('ended') }, async (host) => {
  await plan(host, 'ended', null);
  const done = host.finish('ended');
  await closed(host, 'ended', 0);
  await host.runs.cancel('ended');
  await done;
});

recording(
  'a run that serves, one of whose sinks fails',
  { 'serve-sink-failed': serveOf('broken') },
  async (host) => {
    await plan(host, 'broken', 1, { formats: ['no-such-format'] });
    const done = host.finish('broken');
    await until(async () => (await host.runs.progress('broken'))?.reason === 'sink_failed');
    await host.runs.resume('broken');
    await until(async () => (await host.runs.progress('broken'))?.reason === 'sink_failed');
    await host.runs.cancel('broken');
    await done;
  },
);
