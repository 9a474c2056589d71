import { freshBoard } from '../../../src/core/endpoint/endpoint-board.js';
import { type EndpointReport, endpointWorkflowId } from '../../../src/core/endpoint/messages.js';
import { workflowQueue } from '../../../src/core/run/queues.js';
import { endpointName } from '../../../src/model/limits/endpoint-name.js';
import { TemporalEndpointKeeper } from '../../../src/temporal/endpoint-keeper.js';
import { endpointReport } from '../../support/endpoint-report.js';
import { MODEL_RUN, modelServer } from '../../support/model-run.js';
import { after, refuses, runs, says } from '../../support/model-server.js';
import { RUN_CONFIG } from '../../support/run-config-defaults.js';
import { recordingsOn, task } from './recordings.js';

const recording = recordingsOn((host) => host.startWorker({ role: 'orchestrator' }));

let baseUrl = '';
const CARRIED = { hash: 'carried', baseUrl: 'http://127.0.0.1:1/v1' };

recording(
  'an endpoint that two hosts call, and that refuses one of them',
  { 'endpoint-shared': () => endpointWorkflowId(endpointName({ ...RUN_CONFIG, baseUrl })) },
  async (host) => {
    const server = await modelServer((call) => {
      if (call.turn === 1 && call.try === 1)
        return refuses(429, 'Slow down', { headers: { 'retry-after': '1' } });
      return after(200, call.turn < 4 ? runs('true') : says('Done.'));
    });
    ({ baseUrl } = server);
    const hosts = [];
    for (const hostId of ['one', 'two'])
      hosts.push(await host.startWorker({ hostId, role: 'host', capacity: 2, sliceMs: 300 }));
    await host.plan('shared', [await task('one')], { ...MODEL_RUN, baseUrl, samples: 4 });
    await host.finish('shared');
    // They give their shares back. Nobody waits the ten minutes for which it is kept: its history stays open.
    await Promise.all(hosts.map((worker) => worker.shutdown()));
  },
);

recording(
  'an endpoint that has continued as new',
  { 'endpoint-carried': endpointWorkflowId(CARRIED) },
  async (host) => {
    const told = { requestsPerMinute: 120, tokensPerMinute: 8_000, remainingRequests: 1, remainingTokens: 1 };
    const report = (nth: number, changes: Partial<EndpointReport>): EndpointReport =>
      endpointReport('host', { process: 'process', nth, waiting: 20, ...changes });
    await host.client.workflow.start('endpoint', {
      workflowId: endpointWorkflowId(CARRIED),
      taskQueue: workflowQueue(),
      args: [{ baseUrl: CARRIED.baseUrl, carried: freshBoard(Date.now()) }],
    });
    const keeper = new TemporalEndpointKeeper(host.client, CARRIED);
    await keeper.renew(report(1, { told }));
    await keeper.renew(report(2, { totals: { answered: 4, refused: 0, failed: 0 }, answeredSentAgoMs: 100 }));
    await keeper.renew(report(3, { waiting: 0, totals: { answered: 4, refused: 0, failed: 5 } }));
    await keeper.leave({ hostId: 'host', process: 'process' });
  },
);
