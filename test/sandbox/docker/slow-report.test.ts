import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ExecJournal } from '../../../src/sandbox/docker/exec-journal.js';
import { ExecRunner } from '../../../src/sandbox/docker/exec-runner.js';
import { say, startEngineDouble } from './support/engine-double.js';

const HELLO = 'longrun 12\n';
const REQUEST = {
  ...{ script: 'sleep 600', cwd: null, env: {}, user: null, stdin: null },
  ...{ timeoutMs: 10, outputLimitBytes: 100 },
};

test('a connection on which no report of a command comes is closed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let attached: (socket: Duplex) => void = () => undefined;
  const socket = new Promise<Duplex>((resolve) => {
    attached = resolve;
  });
  const engine = await startEngineDouble({
    answer: (_, response) => say(response, 201, { Id: 'feed' }),
    attach: (stream) => attached(stream.on('error', () => undefined).resume()),
  });
  const journal = new ExecJournal(engine.docker, 'c0ffee', { user: '', workdir: '/' });
  const report = journal.report({ execId: 'token.feed' }, 100, null);
  const ended = once(await socket, 'end');
  // The journal begins to wait a moment after the engine has begun to attach.
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
  await vi.runAllTimersAsync();
  expect(await report).toBeNull();
  await ended;
});

test('the connection of a command that could not be waited for to its end is closed', async () => {
  let attached: (socket: Duplex) => void = () => undefined;
  const socket = new Promise<Duplex>((resolve) => {
    attached = resolve;
  });
  let commands = 0;
  const engine = await startEngineDouble({
    answer: (request, response) => {
      if (request.endsWith('/exec')) commands += 1;
      // The command itself can be made, and nothing that is asked about it later.
      if (commands === 1) return say(response, 201, { Id: 'feed' });
      say(response, 500, { message: 'the engine is in trouble' });
    },
    attach: (stream) => {
      stream.on('error', () => undefined).resume();
      stream.write(Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, 0, HELLO.length]), Buffer.from(HELLO)]));
      attached(stream);
    },
  });
  const journal = new ExecJournal(engine.docker, 'c0ffee', { user: '', workdir: '/' });
  const runner = new ExecRunner(journal, async () => ({ running: true, ended: null, oomKilled: false }));
  const handle = await journal.create(REQUEST);
  await runner.start(handle, REQUEST);
  const ended = once(await socket, 'end');
  await expect(runner.await(handle, REQUEST, new AbortController().signal)).rejects.toMatchObject({
    code: 'sandbox_failed',
  });
  await ended;
});
