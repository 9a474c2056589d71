import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defineSearchAttributeKey } from '@temporalio/common';
import { expect, onTestFinished, test } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../src/core/run/search-attribute-names.js';
import { freePort } from '../../src/machine/ports.js';
import { connectClient, explicitCluster, resolveCluster } from '../../src/temporal/connect.js';
import { serverStatus, stopServer } from '../../src/temporal/embedded-server.js';
import { connectNative } from '../../src/temporal/native-connection.js';
import { temporaryFolder, temporaryStateDir } from '../support/state.js';
import { freshCluster, temporalAddress } from '../support/temporal.js';
import { startServerOfVersion } from './old-server.js';

const HOME = { HOME: '/nonexistent' };

test('TEMPORAL_ADDRESS means that server and no other', async () => {
  const stateDir = await temporaryStateDir();
  const cluster = await resolveCluster({ stateDir, env: { ...HOME, TEMPORAL_ADDRESS: temporalAddress() } });
  expect(cluster).toMatchObject({ kind: 'external', address: temporalAddress(), namespace: 'default' });
  expect(serverStatus(stateDir).running).toBe(false);
  await cluster.detach();
});

test('without an address the embedded server of the state folder is used', async () => {
  const stateDir = await temporaryStateDir();
  onTestFinished(async () => void (await stopServer(stateDir)));
  const cluster = await resolveCluster({ stateDir, env: HOME });
  expect(cluster).toMatchObject({ kind: 'embedded', namespace: 'default' });
  const { client, close } = await connectClient(cluster);
  const runId = defineSearchAttributeKey(SEARCH_ATTRIBUTES.runId, 'KEYWORD');
  await client.workflow.start('nothing', {
    workflowId: 'w',
    taskQueue: 'nobody',
    typedSearchAttributes: [{ key: runId, value: 'r1' }],
  });
  await close();
  const native = await connectNative(cluster);
  await native.close();
  await cluster.detach();
  expect(serverStatus(stateDir).running).toBe(false);
});

test('an address that is given wins over the environment, which wins over the profile file', async () => {
  const file = join(await temporaryFolder(), 'temporal.toml');
  await writeFile(file, '[profile.prod]\naddress = "prod:7233"\nnamespace = "evals"\napi_key = "k"\n');
  const env = { ...HOME, TEMPORAL_CONFIG_FILE: file };
  expect(explicitCluster({ env })).toBeNull();
  expect(explicitCluster({ env, profile: 'prod' })).toMatchObject({
    connection: { address: 'prod:7233', apiKey: 'k' },
    namespace: 'evals',
  });
  const withAddress = { ...env, TEMPORAL_ADDRESS: 'env:7233' };
  expect(explicitCluster({ env: withAddress, profile: 'prod' })?.connection.address).toBe('env:7233');
  expect(
    explicitCluster({ env: withAddress, profile: 'prod', address: 'flag:7233' })?.connection.address,
  ).toBe('flag:7233');
});

test('a profile that does not exist is bad input', () => {
  expect(() => explicitCluster({ env: HOME, profile: 'nowhere' })).toThrow(
    expect.objectContaining({ code: 'bad_input', exitCode: 2 }),
  );
});

test('a server that does not answer is named, with what to do', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  await expect(resolveCluster({ stateDir: '/nonexistent', address, env: HOME })).rejects.toMatchObject({
    code: 'temporal_unreachable',
    message: expect.stringContaining(address),
    hint: expect.stringContaining('TEMPORAL_ADDRESS'),
  });
});

test('a namespace that the server does not have is named', async () => {
  const options = { stateDir: '/nonexistent', address: temporalAddress(), namespace: 'nowhere', env: HOME };
  await expect(resolveCluster(options)).rejects.toMatchObject({
    code: 'temporal_unreachable',
    message: expect.stringContaining('nowhere'),
  });
});

test('a server that is too old is refused', async () => {
  const address = await startServerOfVersion('1.24.2');
  await expect(resolveCluster({ stateDir: '/nonexistent', address, env: HOME })).rejects.toMatchObject({
    code: 'temporal_version',
    message: expect.stringContaining('1.24.2; longrun needs 1.28.0 or newer'),
  });
});

test('registering search attributes again changes nothing', async () => {
  const cluster = await freshCluster();
  await (await connectClient(cluster)).close();
  await (await connectClient(cluster)).close();
});

test('a client command does not load the worker, which takes a quarter of a second', async () => {
  const script = `
    await import(${JSON.stringify(new URL('../../src/temporal/connect.ts', import.meta.url).href)});
    const { createRequire } = await import('node:module');
    const loaded = Object.keys(createRequire(import.meta.url).cache).filter((f) => f.includes('@temporalio/worker') || f.includes('core-bridge'));
    console.log(loaded.length);`;
  const args = ['--import', 'tsx', '--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout.trim()).toBe('0');
});
