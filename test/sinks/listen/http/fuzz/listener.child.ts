import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { writeSummary } from '../../../../../src/records/write-summary.js';
import { rolloutApi } from '../../../../../src/server/rollout-api/index.js';
import { openContext } from '../../../../../src/sinks/host/open-context.js';
import { SinkClaim } from '../../../../../src/sinks/host/sink-claim.js';
import { listenSink } from '../../../../../src/sinks/listen/http/index.js';
import { readListenAddress } from '../../../../../src/sinks/listen/index.js';
import { openStore } from '../../../../../src/store/index.js';
import { readRun } from '../../../../../src/store/runs.js';
import { harborEnvironment } from '../../../../../src/tasks/harbor-environment.js';
import { IdleCluster } from '../../../../server/rollout-api/idle-cluster.js';
import { until } from '../../../../support/until.js';

/** The listener of a run in a process of its own, and beside it a port that says what it has used of the machine. */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const [stateDir = '', runId = ''] = process.argv.slice(2);
const store = await openStore(stateDir);
const run = await readRun(store, runId);
const at = { incarnation: 1, hostId: 'here', at: Date.now() };
const { context } = await openContext(
  {
    ...{ store, run, name: 'listen' as const, env: {}, now: Date.now },
    claim: await SinkClaim.take(store, { runId, sink: 'listen' }, at),
    observer: { groupRead: () => {}, groupSettled: () => {} },
    runs: { allow: async () => {}, finish: async () => {} },
    // Failures that nobody expected are told there.
    logger: pino({ level: 'error' }, pino.destination({ fd: 2, sync: true })),
  },
  { stopping: new AbortController().signal },
);
const { runs } = new IdleCluster();
const api = rolloutApi({
  // Nothing runs that could take its time to end.
  runs: { ...runs, cancel: (id) => writeSummary(store, id, 'cancelled') },
  environmentOf: ({ environment: { name, source } }) => harborEnvironment({ name, source, folder: source }),
});
void listenSink([api])(run).run(context);
await until(async () => (await readListenAddress(store, runId)) !== null);

const usage = createServer(({ url }, response) => {
  if (url === '/heap') for (let i = 0; i < 3; i++) collect();
  const { user, system } = process.cpuUsage();
  const { heapUsed, external } = process.memoryUsage();
  response.end(JSON.stringify({ cpuMs: (user + system) / 1_000, heapMb: (heapUsed + external) / 1e6 }));
});
usage.listen(0, '127.0.0.1', async () => {
  const url = await readListenAddress(store, runId);
  const { port } = usage.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url, usageUrl: `http://127.0.0.1:${port}` })}\n`);
});
