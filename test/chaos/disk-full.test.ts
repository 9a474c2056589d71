import { spawnSync } from 'node:child_process';
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { openStore } from '../../src/store/index.js';
import { keys } from '../../src/store/keys.js';
import { stopServer } from '../../src/temporal/embedded-server.js';
import { callAccounts } from '../support/call-accounts.js';
import { answerTest } from '../support/inline-task.js';
import { after, ModelServer, runs, type SeenCall, says } from '../support/model-server.js';
import { temporaryFolder } from '../support/state.js';
import { until } from '../support/until.js';
import { startLongrun } from './support/longrun-command.js';
import { mountDisk } from './support/mounts.js';
import { noteTimes } from './support/recovery.js';

const DISK_MB = 256;
const ROLLOUTS = 24;
const MEBIBYTE = 1024 ** 2;

/** Six turns of a second or so; the last word ends it. */
const script = ({ turn }: SeenCall) =>
  after(150, turn < 6 ? runs('echo one > /app/answer; sleep 0.5') : says('Done.'));

/** A command line that evaluates 24 rollouts with its state folder on a small disk of its own. */
async function evaluateOnSmallDisk({ onTestFinished }: TestContext) {
  const folder = () => temporaryFolder('longrun-test-', onTestFinished);
  const [stateDir, tasks] = await Promise.all([folder(), folder()]);
  mountDisk(stateDir, DISK_MB, onTestFinished);
  const endpoint = await ModelServer.start(script);
  onTestFinished(() => endpoint.close());
  await writeTask(join(tasks, 'one'));
  const model = ['--model', 'test-model', '--base-url', endpoint.baseUrl, '--max-tokens', '500'];
  const how = [
    '--sandbox',
    'memory',
    '--samples',
    String(ROLLOUTS),
    '--concurrency',
    '6',
    '--run-id',
    'full',
  ];
  const longrun = startLongrun(stateDir, 'evaluate', tasks, ...model, ...how, '--json');
  onTestFinished(async () => {
    longrun.process.kill('SIGKILL');
    await longrun.ended;
    await stopServer(stateDir);
  });
  return { stateDir, endpoint, longrun, store: await openStore(stateDir, {}) };
}

async function writeTask(folder: string): Promise<void> {
  const files = {
    'task.toml': 'version = "1.0"\n\n[environment]\nnetwork_mode = "no-network"\n',
    'instruction.md': 'Write one into /app/answer.\n',
    'environment/Dockerfile': 'FROM debian:bookworm-slim\nWORKDIR /app\n',
    'tests/test.sh': answerTest('one'),
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content, { mode: 0o755 });
  }
}

/** Takes all but so many megabytes of the disk; answers how to give them back. */
async function fill(folder: string, leave: number): Promise<() => Promise<void>> {
  const file = join(folder, 'filler');
  await writeFile(file, '');
  // What others write meanwhile changes what is free: allocated again by the newest figure until it fits.
  await until(async () => {
    const { bavail, bsize } = await statfs(folder);
    const length = String(Math.max(bsize, bavail * bsize - leave * MEBIBYTE));
    const { status } = spawnSync('fallocate', ['--length', length, file]);
    return status === 0 || (leave === 0 && bavail === 0);
  });
  return () => rm(file);
}

async function noteNextRequest({ seen }: ModelServer): Promise<void> {
  const [asked, freed] = [seen.length, Date.now()];
  await until(() => seen.length > asked, { what: 'the model is asked again' });
  noteTimes('disk full (from room until the next request)', [Date.now() - freed]);
}

describe.concurrent('a disk that is nearly full', () => {
  it('gets no new rollouts, those that run go on, and the rest when there is room again', async (context) => {
    const { stateDir, endpoint, longrun, store } = await evaluateOnSmallDisk(context);
    await until(() => endpoint.seen.length > 6, { limitMs: 90_000 });
    const free = await fill(stateDir, 8);
    await longrun.says('the disk is nearly full: no new rollouts until some space is freed');
    const placed = async () => (await store.children(`${keys.rollouts('full')}/one`)).length;
    const settled = async () => {
      const before = endpoint.seen.length;
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      return endpoint.seen.length === before;
    };
    await until(settled, { limitMs: 60_000, what: 'what runs has ended' });
    expect(await placed()).toBeLessThan(ROLLOUTS);
    await free();
    await noteNextRequest(endpoint);
    expect(await longrun.ended).toBe(0);
    const { summary } = JSON.parse(longrun.output.stdout);
    expect(summary).toMatchObject({ n_scored: ROLLOUTS, n_open: 0, n_infrastructure: 0 });
    expect((await callAccounts(store, 'full')).answered).toHaveLength(endpoint.seen.length);
  });
});

describe.concurrent('a disk that is full', () => {
  it('holds everything up; when there is room again nothing was lost or paid for twice', async (context) => {
    const { stateDir, endpoint, longrun, store } = await evaluateOnSmallDisk(context);
    await until(() => endpoint.seen.length > 12, { limitMs: 90_000 });
    const free = await fill(stateDir, 0);
    await longrun.says('what is to be recorded is held until it does');
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    const asked = endpoint.seen.length;
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    expect(endpoint.seen.length - asked).toBeLessThanOrEqual(6);
    await free();
    await noteNextRequest(endpoint);
    expect(await longrun.ended).toBe(0);
    const { summary } = JSON.parse(longrun.output.stdout);
    expect(summary).toMatchObject({ n_scored: ROLLOUTS, n_open: 0, n_infrastructure: 0, n_passed: ROLLOUTS });
    const accounts = await callAccounts(store, 'full');
    expect(new Set([...accounts.answered, ...accounts.failed, ...accounts.lost])).toEqual(
      new Set(endpoint.seen.map(({ callId }) => callId)),
    );
    expect(accounts.failed).toEqual([]);
  });
});
