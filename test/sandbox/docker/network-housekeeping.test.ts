import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BASE_IMAGE } from '../../../src/core/base-image.js';
import { DockerDriver } from '../../../src/sandbox/docker/index.js';
import { ownerToLabels } from '../../../src/sandbox/docker/labels.js';
import { HelperContainer } from '../../../src/sandbox/docker/network/helper-container.js';
import type { Sandbox, SandboxDriver } from '../../../src/sandbox/sandbox.js';
import { OwnEngine } from '../../support/own-engine.js';
import { threat } from '../../support/threat.js';
import { run, SandboxKit, textOf } from '../conformance/kit.js';

const NAME = 'longrun-sandboxes';
const LABEL = 'label=dev.longrun.network=public';
const IMAGE = 'longrun-test/of-the-task:1';
/** Room for two networks: ours and one more. */
const POOL = ['--default-address-pool', 'base=10.199.0.0/23,size=24'];

let engine: OwnEngine;
let kit: SandboxKit;
const drivers: DockerDriver[] = [];

function driver(): DockerDriver {
  const made = new DockerDriver({ connection: { socketPath: engine.address.replace('unix://', '') } });
  drivers.push(made);
  return made;
}

beforeAll(async () => {
  engine = await OwnEngine.start({ liveRestore: false, networking: POOL });
  await engine.docker('tag', BASE_IMAGE, IMAGE);
  kit = new SandboxKit(driver, { kind: 'image', name: IMAGE });
  await kit.open();
});
afterAll(async () => {
  await kit?.close();
  await Promise.all(drivers.map((made) => made.close()));
  await engine?.close();
});

const networks = async () =>
  lines(await engine.docker('network', 'ls', '--quiet', '--no-trunc', '--filter', LABEL));
const lines = (text: string) => text.split('\n').filter((line) => line !== '');
const make = (by: SandboxDriver): Promise<Sandbox> => kit.fresh({ network: 'public' }, {}, by);
const hasDevice = async (sandbox: Sandbox) =>
  textOf(await run(sandbox, 'grep -c eth /proc/net/dev')) === '1\n';

describe('the network of the sandboxes', () => {
  test('is one, though several processes make it at once', async () => {
    const made = await Promise.all([driver(), driver(), driver()].map(make));
    expect(await Promise.all(made.map(hasDevice))).toEqual([true, true, true]);
    const [network] = await networks();
    const format = '{{range .NetworkSettings.Networks}}{{.NetworkID}}{{end}}';
    const joined = await engine.docker('inspect', '--format', format, ...made.map(({ ref }) => ref.id));
    expect(new Set(lines(joined))).toEqual(new Set([network]));
    expect(await driver().removeUnusedNetwork(false)).toEqual([]);
    await Promise.all(made.map((sandbox) => sandbox.destroy()));
  });

  test('goes when no sandbox is on it, and is made anew for the next, also by whoever knew the old one', async () => {
    const old = driver();
    await (await make(old)).destroy();
    expect(await driver().removeUnusedNetwork(true)).toEqual([NAME]);
    expect(await networks()).toHaveLength(1);
    expect(await driver().removeUnusedNetwork(false)).toEqual([NAME]);
    expect(await networks()).toEqual([]);
    const sandbox = await make(old);
    expect(await hasDevice(sandbox)).toBe(true);
    await sandbox.destroy();
    await driver().removeUnusedNetwork(false);
  });

  test('is refused, with what to do, where somebody else has a network of that name', async () => {
    await engine.docker('network', 'create', NAME);
    await expect(make(driver())).rejects.toMatchObject({
      code: 'sandbox_failed',
      retryable: false,
      message: expect.stringContaining(NAME),
      hint: expect.stringContaining(`docker network rm ${NAME}`),
    });
    await engine.docker('network', 'rm', NAME);
  });

  test('cannot be made where the engine has no addresses left, and the error says how to get some', async () => {
    await engine.docker('network', 'create', 'lr-one');
    await engine.docker('network', 'create', 'lr-two');
    await expect(make(driver())).rejects.toMatchObject({
      code: 'sandbox_failed',
      message: expect.stringContaining('no addresses left'),
      hint: expect.stringContaining('docker network prune'),
    });
    await engine.docker('network', 'rm', 'lr-one', 'lr-two');
    expect(await kit.driver.list(kit.clusterId)).toEqual([]);
  });

  test('is joined again by whoever takes over a sandbox whose restart was interrupted', async () => {
    const sandbox = await make(driver());
    const [network = ''] = await networks();
    await engine.docker('network', 'disconnect', network, sandbox.ref.id);
    const adopted = await driver().adopt(sandbox.ref);
    if (adopted === null) throw new Error('it was not adopted');
    expect(await hasDevice(adopted)).toBe(true);
    await adopted.destroy();
  });

  test('is not what a sandbox without a network gets by a restart, whatever its image says of itself', async () => {
    const container = await engine.docker('create', '--label', 'dev.longrun.network=public', IMAGE);
    await engine.docker('commit', container, `${IMAGE}-labelled`);
    await engine.docker('rm', container);
    const labelled = new SandboxKit(driver, { kind: 'image', name: `${IMAGE}-labelled` });
    await labelled.open();
    const sandbox = await labelled.fresh({ network: 'none' });
    await sandbox.restart();
    expect(await hasDevice(sandbox)).toBe(false);
    await labelled.close();
  });
});

test('a helper whose process died is removed like the sandboxes of its rollout', async () => {
  const docker = new Docker({ socketPath: engine.address.replace('unix://', '') });
  const labels = ownerToLabels(kit.owner());
  await HelperContainer.create(docker, {
    ...{ program: '', args: [], capabilities: [] },
    networkMode: 'none',
    labels,
  });
  const [left] = await kit.driver.list(kit.clusterId);
  expect(left?.owner).toEqual(kit.owner());
  await (left && (await kit.driver.adopt(left.ref)))?.destroy();
  expect(await kit.driver.list(kit.clusterId)).toEqual([]);
});

describe(threat('an agent with a network', 'services of the host'), () => {
  test('a sandbox that cannot be kept from them is not given out', async () => {
    await engine.docker('tag', BASE_IMAGE, 'lr-kept:1');
    const container = await engine.docker('create', BASE_IMAGE, 'rm', '/usr/bin/perl');
    await engine.docker('start', '--attach', container);
    await engine.docker('commit', container, BASE_IMAGE);
    await engine.docker('rm', container);
    await expect(make(driver())).rejects.toMatchObject({ code: 'sandbox_failed' });
    await engine.docker('rmi', BASE_IMAGE);
    await expect(make(driver())).rejects.toMatchObject({
      code: 'image_missing',
      hint: expect.stringContaining(`docker pull ${BASE_IMAGE}`),
    });
    await engine.docker('tag', 'lr-kept:1', BASE_IMAGE);
    expect(await kit.driver.list(kit.clusterId)).toEqual([]);
    expect(lines(await engine.docker('ps', '--all', '--quiet'))).toEqual([]);
  });
});
