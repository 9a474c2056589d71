import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AttemptKey, rolloutWorkflowId } from '../../src/core/ids.js';
import { HOUR_MS } from '../../src/core/time.js';
import { type PruneOptions, pruneSandboxes } from '../../src/hosts/prune-sandboxes.js';
import { listSandboxes } from '../../src/hosts/sandbox-inventory.js';
import { keys } from '../../src/store/keys.js';
import { stopServer } from '../../src/temporal/embedded-server.js';
import { containerOf, containersOf, docker, removeContainersOf } from '../support/docker-host.js';
import { BASE_IMAGE } from '../support/engine.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { MODEL_RUN } from '../support/model-run.js';
import { ModelServer, runs } from '../support/model-server.js';
import { until } from '../support/until.js';

const FIRST: AttemptKey = { runId: 'pruned', taskId: 'one', sample: 0, attempt: 1 };
const SECOND: AttemptKey = { ...FIRST, sample: 1 };

let host: LongrunHost;
let model: ModelServer;
let strangers: string;
const own: Record<'first' | 'second', string> = { first: '', second: '' };

/** Two rollouts at work whose worker has gone, and a container of another installation. */
beforeAll(async () => {
  host = await LongrunHost.start();
  model = await ModelServer.start(() => runs('sleep 300'));
  const task = await inlineTask({ taskId: 'one', test: answerTest('42') });
  await host.plan('pruned', [task], {
    ...MODEL_RUN,
    sandbox: 'docker',
    samples: 2,
    baseUrl: model.baseUrl,
  });
  const worker = await host.startWorker();
  await host.runs.start('pruned');
  for (const key of [FIRST, SECOND])
    await until(async () => (await host.store.get(keys.toolExec(key, 0, 0, 0))) !== null);
  await worker.shutdown();
  own.first = (await containerOf(host.store, FIRST)) ?? '';
  own.second = (await containerOf(host.store, SECOND)) ?? '';
  strangers = await docker(
    ...['run', '--detach', '--network', 'none', '--label', `dev.longrun.cluster=${randomUUID()}`],
    ...['--label', 'dev.longrun.run=pruned', BASE_IMAGE, 'sleep', '600'],
  );
});
afterAll(async () => {
  if (strangers) await docker('rm', '--force', strangers);
  await removeContainersOf(host.store);
  await model.close();
  await host.stop();
});

const session = () => ({ stateDir: host.stateDir, env: {} });
const prune = (options: Partial<PruneOptions> = {}) =>
  pruneSandboxes({
    ...session(),
    olderThanMs: 0,
    images: false,
    dryRun: false,
    force: false,
    now: Date.now,
    ...options,
  });
/** Without the network of all installations on the engine, which other tests use at the same time. */
const reasons = (entries: readonly { kind: string; id: string; reason: string }[]) =>
  Object.fromEntries(entries.filter(({ kind }) => kind !== 'network').map(({ id, reason }) => [id, reason]));

describe('sandboxes of a host', () => {
  it('are listed with what became of their rollouts; another installation’s only when asked for', async () => {
    const { sandboxes, clusterAnswers } = await listSandboxes({ ...session(), runId: null, all: false });
    expect(clusterAnswers).toBe(true);
    expect(sandboxes.map(({ ref }) => ref.id).sort()).toEqual([own.first, own.second].sort());
    for (const sandbox of sandboxes)
      expect(sandbox).toMatchObject({
        running: true,
        ownerState: 'open',
        owner: { runId: 'pruned', attempt: 1 },
      });
    const all = await listSandboxes({ ...session(), runId: 'pruned', all: true });
    expect(all.sandboxes.find(({ ref }) => ref.id === strangers)).toMatchObject({ ownerState: 'elsewhere' });
    expect((await listSandboxes({ ...session(), runId: 'other', all: true })).sandboxes).toEqual([]);
  });

  it('stay while their rollouts are open', async () => {
    const { removed, kept } = await prune();
    expect(reasons(removed)).toEqual({});
    expect(reasons(kept)).toEqual({ [own.first]: 'open', [own.second]: 'open' });
  });

  it('go when the rollout is over, though no worker runs; a dry run only says so', async () => {
    await host.client.workflow.getHandle(rolloutWorkflowId(FIRST)).terminate('by an operator');
    expect(reasons((await prune({ olderThanMs: HOUR_MS })).removed)).toEqual({});
    const dry = await prune({ dryRun: true });
    expect(reasons(dry.removed)).toEqual({ [own.first]: 'workflow_closed' });
    expect(await containersOf(host.store)).toHaveLength(2);
    const { removed, kept } = await prune();
    expect(reasons(removed)).toEqual({ [own.first]: 'workflow_closed' });
    expect(reasons(kept)).toEqual({ [own.second]: 'open' });
    expect(await containersOf(host.store)).toEqual([own.second]);
  });

  it('stay in doubt while Temporal does not run, unless removal is forced; nobody else’s ever go', async () => {
    await stopServer(host.stateDir);
    const { kept, clusterAnswers } = await prune();
    expect(clusterAnswers).toBe(false);
    expect(reasons(kept)).toEqual({ [own.second]: 'unknown' });
    expect(reasons((await prune({ force: true })).removed)).toEqual({ [own.second]: 'forced' });
    expect(await containersOf(host.store)).toEqual([]);
    expect(await docker('inspect', '--format', '{{.State.Running}}', strangers)).toBe('true');
  });

  it('cannot be removed by force while a worker of the state folder runs', async () => {
    const other = await LongrunHost.start();
    try {
      await other.startWorker();
      await expect(
        pruneSandboxes({
          ...{ stateDir: other.stateDir, env: {}, now: Date.now },
          ...{ olderThanMs: 0, images: false, dryRun: false, force: true },
        }),
      ).rejects.toMatchObject({ code: 'host_locked', hint: expect.stringContaining('longrun down') });
    } finally {
      await other.stop();
    }
  });
});
