import { expect, it, onTestFinished } from 'vitest';
import { Connection } from '../../../src/sinks/atropos/connection.js';
import { until } from '../../support/until.js';
import { AtroposDouble } from './double.js';

async function connected() {
  const double = await AtroposDouble.start();
  onTestFinished(() => double.stop());
  const connection = new Connection(new URL(double.url));
  onTestFinished(() => connection.close());
  const ask = (body?: unknown) => connection.ask('GET', '/status-env', { body, timeoutMs: 5_000 });
  return { double, connection, ask };
}

it('sends a body with a GET, and asks on over the same connection', async () => {
  const { double, ask } = await connected();
  double.train(8);
  double.registerForeign();
  for (let i = 0; i < 3; i++) expect(await ask({ env_id: 0 })).toMatchObject({ status: 200 });
  expect(double.connections).toBe(1);
});

it('is not used again after an error of the server', async () => {
  const { ask } = await connected();
  expect(await ask({ env_id: 7 })).toMatchObject({ status: 500 });
  await expect(ask({ env_id: 7 })).rejects.toMatchObject({
    code: 'sink_unavailable',
    retryable: true,
    details: { unsent: true },
  });
});

it('is used again after a server that is full has put a post off', async () => {
  const { double, connection } = await connected();
  double.faults.set('/scored_data', [{ status: 503, body: 'full' }]);
  const post = () => connection.ask('POST', '/scored_data', { body: {}, timeoutMs: 5_000 });
  expect(await post()).toMatchObject({ status: 503 });
  expect(connection.usable).toBe(true);
  expect(await post()).toMatchObject({ status: 200 });
  expect(double.connections).toBe(1);
});

it('says that it was closed by the peer before anybody asks', async () => {
  const { double, ask, connection } = await connected();
  double.registerForeign();
  expect(connection.usable).toBe(true);
  await ask({ env_id: 0 });
  expect(connection.usable).toBe(true);
  double.restart();
  await until(() => !connection.usable);
});

it('speaks to no other process than the one that it began with', async () => {
  const { double, ask } = await connected();
  double.registerForeign();
  await ask({ env_id: 0 });
  double.restart();
  await expect(ask({ env_id: 0 })).rejects.toMatchObject({ code: 'sink_unavailable' });
  expect(double.connections).toBe(1);
});

it('says when a request has certainly not been seen', async () => {
  const gone = new Connection(new URL('http://127.0.0.1:9'));
  await expect(gone.ask('GET', '/info', { timeoutMs: 5_000 })).rejects.toMatchObject({
    message: expect.stringContaining('ECONNREFUSED'),
    details: { unsent: true },
  });
});

it('leaves open whether a request was seen that was cut off', async () => {
  const { double, ask } = await connected();
  double.faults.set('/status-env', ['cut_after']);
  await expect(ask({ env_id: 0 })).rejects.toMatchObject({ details: { unsent: false } });
});
