import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '../../src/store/index.js';
import { readResult } from '../../src/store/runs.js';
import { type Cluster, connectClient, resolveCluster } from '../../src/temporal/connect.js';
import { createRunClient } from '../../src/temporal/temporal-run-client.js';
import { startHostWorker } from '../../src/worker/index.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { planRun } from '../support/plan-run.js';
import { makeFolder, temporaryFolder } from '../support/state.js';
import { freshCluster } from '../support/temporal.js';
import { Certificates } from './support/certificates.js';
import { TlsDoor } from './support/tls-door.js';

const API_KEY = 'lab-key-that-nobody-records';

let folder: string;
let removeFolder: () => Promise<void>;
let inside: Cluster;
let door: TlsDoor;
let ours: Certificates;

beforeAll(async () => {
  ({ folder, remove: removeFolder } = await makeFolder());
  inside = await freshCluster();
  ours = await Certificates.create(folder, 'authority');
  door = await TlsDoor.open(inside.address, await ours.issue('server'), ours.authority);
});
afterAll(async () => {
  await door.close();
  await removeFolder();
});

/** The environment of a deployment: a profile file, and the profile's name. */
async function profile(name: string, tls: Record<string, string>): Promise<NodeJS.ProcessEnv> {
  const file = join(folder, `${name}.toml`);
  const entries = Object.entries(tls).map(([key, path]) => `${key} = "${path}"`);
  const lines = [
    '[profile.lab]',
    `address = "${door.address}"`,
    `namespace = "${inside.namespace}"`,
    `api_key = "${API_KEY}"`,
    '[profile.lab.tls]',
    ...entries,
  ];
  await writeFile(file, lines.join('\n'));
  return { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'lab' };
}

async function withClientCertificate(name: string): Promise<Record<string, string>> {
  const { certificate, key } = await ours.issue(name);
  return { server_ca_cert_path: ours.authority, client_cert_path: certificate, client_key_path: key };
}

it('client and worker both come through mutual TLS with the API key, into the namespace of the profile', async () => {
  const env = await profile('good', await withClientCertificate('host'));
  const stateDir = join(folder, 'state');
  const cluster = await resolveCluster({ stateDir, env });
  expect(cluster).toMatchObject({ kind: 'external', address: door.address, namespace: inside.namespace });

  const store = await openStore(stateDir, {});
  const { client, close } = await connectClient(cluster);
  const logger = pino({ level: 'silent' });
  const worker = await startHostWorker({ stateDir, store, cluster, client, logger });
  try {
    const task = await inlineTask({
      taskId: 'one',
      test: answerTest('42'),
      solution: 'echo 42 > /app/answer',
    });
    await planRun(store, 'behind-tls', [task], { agent: 'oracle' });
    const runs = createRunClient(client, store);
    await runs.start('behind-tls');
    await runs.wait('behind-tls', AbortSignal.timeout(50_000));
    expect(await readResult(store, { runId: 'behind-tls', taskId: 'one', sample: 0 })).toMatchObject({
      reward: 1,
    });
  } finally {
    await worker.shutdown();
    await close();
  }

  const paths = door.calls.map((headers) => String(headers[':path']).split('/').at(-1));
  for (const call of ['StartWorkflowExecution', 'PollWorkflowTaskQueue', 'PollActivityTaskQueue'])
    expect(paths).toContain(call);
  const without = door.calls.filter((headers) => headers.authorization !== `Bearer ${API_KEY}`);
  expect(without.map((headers) => headers[':path'])).toEqual([]);
  expect(await textOf(stateDir)).not.toContain(API_KEY);
});

it('the same settings are taken from TEMPORAL_* variables alone', async () => {
  const { certificate, key } = await ours.issue('by-variables');
  const cluster = await resolveCluster({
    stateDir: join(folder, 'unused'),
    env: {
      TEMPORAL_CONFIG_FILE: join(folder, 'none.toml'),
      TEMPORAL_ADDRESS: door.address,
      TEMPORAL_NAMESPACE: inside.namespace,
      TEMPORAL_API_KEY: API_KEY,
      TEMPORAL_TLS: 'true',
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: ours.authority,
      TEMPORAL_TLS_CLIENT_CERT_PATH: certificate,
      TEMPORAL_TLS_CLIENT_KEY_PATH: key,
    },
  });
  const { connection, close } = await connectClient(cluster);
  const { namespaceInfo } = await connection.workflowService.describeNamespace({
    namespace: inside.namespace,
  });
  expect(namespaceInfo?.name).toBe(inside.namespace);
  await close();
});

it('without a client certificate, or with somebody else behind the address, it is refused by name', async () => {
  const stateDir = join(folder, 'unused');
  const other = await Certificates.create(await temporaryFolder(), 'other');
  const good = await withClientCertificate('again');
  const refused = [
    { server_ca_cert_path: ours.authority },
    { ...good, server_ca_cert_path: other.authority },
  ];
  for (const [i, tls] of refused.entries()) {
    const env = await profile(`refused-${i}`, tls);
    const error = await resolveCluster({ stateDir, env }).catch((cause: unknown) => cause);
    expect(error).toMatchObject({
      code: 'temporal_unreachable',
      message: expect.stringContaining(door.address),
    });
    expect(String(error)).not.toContain(API_KEY);
  }
});

it('a certificate file that is not there is named', async () => {
  const env = await profile('missing', { server_ca_cert_path: join(folder, 'no-such.pem') });
  await expect(resolveCluster({ stateDir: folder, env })).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('no-such.pem'),
  });
});

async function textOf(root: string): Promise<string> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')),
  );
  return texts.join('\n');
}
