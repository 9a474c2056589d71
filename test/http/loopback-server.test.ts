import { request } from 'node:http';
import { Runtime } from '@temporalio/worker';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startHealthServer } from '../../src/hosts/health-server.js';
import { startMetricsServer } from '../../src/hosts/metrics-server.js';
import { freePort } from '../../src/machine/ports.js';
import { ScriptedServer } from '../../src/model/scripted/scripted-server.js';
import { createServer, listenOn } from '../../src/sinks/listen/http/index.js';
import { installRuntime } from '../../src/worker/temporal-logger.js';
import { policyServer } from '../support/policy-server.js';
import { threat } from '../support/threat.js';

vi.setConfig({ testTimeout: 60_000 });

const FOREIGN: Record<string, string>[] = [
  { host: 'evil.com' },
  { host: 'evil.com@localhost' },
  { host: 'localhost.evil.com' },
  { host: 'localhost/evil.com' },
  { host: 'localhost?evil.com' },
  { host: 'localhost\\evil.com' },
  { host: '127.0.0.1.evil.com' },
  { host: '[fe80::1]' },
  { host: '127.0.0.1', origin: 'https://evil.com' },
  { host: '127.0.0.1', origin: 'null' },
  { host: '127.0.0.1', 'sec-fetch-site': 'cross-site' },
];
const OWN = [
  { host: 'localhost' },
  { host: '127.0.0.1:1' },
  { host: '[::1]:80' },
  { host: 'LOCALHOST:3000' },
];

function ask(port: number, path: string, headers: Record<string, string>): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, path, host: '127.0.0.1', headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => resolve([answer.statusCode ?? 0, text]));
    });
    asked.on('error', reject).end();
  });
}

async function answersOnlyOwnNames(port: number, path: string, secret: string): Promise<void> {
  for (const headers of FOREIGN) {
    const [status, text] = await ask(port, path, headers);
    expect([headers, status]).toEqual([headers, 403]);
    expect(text).not.toContain(secret);
  }
  for (const headers of OWN) {
    const [status, text] = await ask(port, path, headers);
    expect([headers, status], text.slice(0, 200)).toEqual([headers, 200]);
    expect(text).toContain(secret);
  }
}

describe(threat('a page in a browser', 'what a worker says on this machine'), () => {
  it('the API is told to nobody who asks by another name, a name with a user included', async () => {
    const app = createServer({ logger: pino({ level: 'silent' }), host: '127.0.0.1', token: null });
    app.get('/', () => ({ secret: 'of the run' }));
    onTestFinished(() => app.close());
    const url = await listenOn(app, '127.0.0.1', 0);
    await answersOnlyOwnNames(Number(new URL(url).port), '/', 'of the run');
  });

  it('nor is the health of a worker', async () => {
    const port = await freePort();
    const report = async () => ({ ready: true, document: { host_id: 'box' } });
    const health = await startHealthServer(port, report);
    onTestFinished(() => health.close());
    await answersOnlyOwnNames(port, '/readyz', 'box');
  });

  it('nor are its metrics: the server of the SDK listens elsewhere, and what it says is passed on', async () => {
    const port = await freePort();
    const metrics = await startMetricsServer(port);
    onTestFinished(() => metrics.close());
    expect(await ask(port, '/metrics', {})).toEqual([503, 'No worker has started here yet.\n']);
    expect(metrics.sdkAddress).not.toContain(`:${port}`);
    installRuntime(pino({ level: 'silent' }), metrics.sdkAddress);
    Runtime.instance().metricMeter.createCounter('longrun_test', 'runs', 'of this test').add(1);
    await answersOnlyOwnNames(port, '/metrics', 'longrun_test');
    expect((await ask(port, '/else', {}))[0]).toBe(404);
    await expect(startMetricsServer(port)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining(`port ${port} is in use`),
    });
  });

  it('nor do scripted models answer', async () => {
    const scripted = new ScriptedServer([]);
    onTestFinished(() => scripted.close());
    await answersOnlyOwnNames(Number(new URL(await scripted.baseUrl()).port), '/v1/models', 'scripted/demo');
    const policy = await policyServer();
    await answersOnlyOwnNames(Number(new URL(policy.baseUrl).port), '/v1/models', '"object":"list"');
  });
});

describe(threat('a program on this machine', 'the process that answers everybody'), () => {
  it('scripted models refuse a body that is too deep, too long or no JSON, and go on', async () => {
    const scripted = new ScriptedServer([]);
    onTestFinished(() => scripted.close());
    const policy = await policyServer();
    for (const baseUrl of [await scripted.baseUrl(), policy.baseUrl]) {
      const send = async (body: string) =>
        await fetch(`${baseUrl}/chat/completions`, { method: 'POST', body }).then(
          ({ status }) => status,
          () => 'cut off',
        );
      expect(await send('['.repeat(200_000))).toBe(400);
      expect(await send(`{"messages":${'['.repeat(200)}${']'.repeat(200)}}`)).toBe(400);
      expect(await send('{"model": NaN}')).toBe(400);
      expect([400, 'cut off']).toContain(await send(`"${'x'.repeat(17 * 1024 * 1024)}"`));
      expect((await fetch(`${baseUrl}/models`)).status).toBe(200);
    }
  });
});
