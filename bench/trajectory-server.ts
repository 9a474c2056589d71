import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freePort } from '../src/machine/ports.js';
import { residentBytesOf } from './process-stats.js';

const START_MS = 60_000;

/** A server that takes groups and hands out batches: our listener, or the real one of Atropos. */
export class TrajectoryServer {
  private readonly agent = new Agent({ keepAlive: true });

  private constructor(
    readonly name: string,
    private readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  static async ours(): Promise<TrajectoryServer> {
    const folder = await mkdtemp(join(tmpdir(), 'longrun-bench-'));
    const program = fileURLToPath(new URL('./listen-server.js', import.meta.url));
    const child = fork(program, [folder]);
    const [url] = (await once(child, 'message')) as [string];
    return new TrajectoryServer('longrun', url, child);
  }

  /** Null where the environment of the peers is not installed. */
  static async atropos(): Promise<TrajectoryServer | null> {
    const peers = (await import(pathToFileURL(resolve('scripts/setup/peers-folder.mjs')).href)) as {
      installedPython(): string | null;
    };
    const python = peers.installedPython();
    if (python === null) return null;
    const port = await freePort();
    const module = [
      '-m',
      'uvicorn',
      'atroposlib.api.server:app',
      '--port',
      String(port),
      '--log-level',
      'error',
    ];
    const child = spawn(python, module, { stdio: 'ignore' });
    const server = new TrajectoryServer('atropos', `http://127.0.0.1:${port}`, child);
    for (const begun = Date.now(); ; await sleep(100)) {
      if (
        await server.ask('GET', '/').then(
          () => true,
          () => false,
        )
      )
        return server;
      if (Date.now() - begun > START_MS) throw new Error('the Atropos server did not start');
    }
  }

  /** The status and the length of the answer, read to its end, and how long that took. */
  async ask(method: string, path: string, body?: Buffer): Promise<{ text: string; ms: number }> {
    const begun = performance.now();
    const headers =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length };
    const asked = request(`${this.url}${path}`, { method, headers, agent: this.agent });
    asked.end(body);
    const [response] = (await once(asked, 'response')) as [import('node:http').IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const ms = performance.now() - begun;
    const text = Buffer.concat(chunks).toString('utf8');
    if (response.statusCode !== 200)
      throw new Error(`${this.name}: ${path}: ${response.statusCode} ${text.slice(0, 200)}`);
    return { text, ms };
  }

  async register(batchSize: number): Promise<void> {
    const trainer = { wandb_group: '', wandb_project: '', checkpoint_dir: '', save_checkpoint_interval: 1 };
    const numbers = { batch_size: batchSize, max_token_len: 100_000, starting_step: 0, num_steps: -1 };
    await this.ask('POST', '/register', Buffer.from(JSON.stringify({ ...trainer, ...numbers })));
    await this.ask('GET', '/batch');
  }

  async residentBytes(): Promise<number> {
    if (this.name === 'longrun') {
      this.child.send('settle');
      await once(this.child, 'message');
    }
    return residentBytesOf(this.child.pid as number);
  }

  async end(): Promise<void> {
    this.agent.destroy();
    const exited = once(this.child, 'exit');
    if (this.child.connected) this.child.disconnect();
    else this.child.kill();
    await exited;
  }
}
