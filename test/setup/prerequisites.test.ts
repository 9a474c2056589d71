import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../../src/machine/ports.js';
import { checkNode, checkStateFolder } from '../../src/setup/machine-checks.js';
import { checkPrerequisites } from '../../src/setup/prerequisites.js';
import { temporaryFolder } from '../support/state.js';

const reportsOf = async (options: { env: NodeJS.ProcessEnv; stateDir: string }) =>
  new Map((await checkPrerequisites(options)).map((report) => [report.name, report]));

test('every prerequisite is reported, with a fix wherever something is wrong', async () => {
  const reports = await reportsOf({ stateDir: await temporaryFolder(), env: process.env });
  expect([...reports.keys()]).toEqual([
    'Node',
    'Temporal program',
    'Temporal server',
    'Docker engine',
    'bubblewrap',
    'Base image',
    'State folder',
    'Disk space',
  ]);
  for (const { status, fix } of reports.values()) expect(status === 'ok').toBe(fix === null);
});

test('a machine without a Temporal program is told how to get one', async () => {
  const home = await temporaryFolder();
  const reports = await reportsOf({ stateDir: home, env: { HOME: home, PATH: '' } });
  expect(reports.get('Temporal program')).toMatchObject({
    status: 'missing',
    fix: expect.stringContaining('go install'),
  });
});

test('a configured server that does not answer is missing; its program is not needed', async () => {
  const home = await temporaryFolder();
  const address = `127.0.0.1:${await freePort()}`;
  const reports = await reportsOf({ stateDir: home, env: { HOME: home, TEMPORAL_ADDRESS: address } });
  expect(reports.get('Temporal program')).toMatchObject({ status: 'ok' });
  expect(reports.get('Temporal server')).toMatchObject({
    status: 'missing',
    found: `${address} does not answer`,
  });
});

test('a state folder that does not exist yet is fine where it can be made', async () => {
  const folder = await temporaryFolder();
  expect(await checkStateFolder(join(folder, 'a', 'b'))).toMatchObject({ status: 'ok' });
});

test('a state folder below a file is refused', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'x'));
  await writeFile(join(folder, 'x', 'file'), '');
  expect(await checkStateFolder(join(folder, 'x', 'file'))).toMatchObject({ status: 'missing' });
});

test('an old Node is named with the one that is needed', () => {
  expect(checkNode('18.19.0')).toMatchObject({ status: 'missing', fix: expect.stringContaining('20.11') });
});
