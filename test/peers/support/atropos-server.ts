import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { installedPython } from '../../../scripts/setup/peers-folder.mjs';
import { freePort } from '../../../src/machine/ports.js';
import { missingPeers, PEERS, peerEnvironment } from './python.js';

const UP_LIMIT_MS = 60_000;

/** The real Atropos server of `atroposlib`, on a port of its own; everything it has is in its memory. */
export class AtroposServer {
  private child: ChildProcess | null = null;

  private constructor(readonly port: number) {}

  static async start(): Promise<AtroposServer> {
    const server = new AtroposServer(await freePort());
    await server.up();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts its process; resolves once it answers. */
  async up(): Promise<void> {
    const args = ['-m', 'atroposlib.cli.run_api', '--host', '127.0.0.1', '--port', String(this.port)];
    const child = startPython(args);
    this.child = child;
    for (const from = Date.now(); ; await sleep(50)) {
      if (await this.answers()) return;
      if (child.exitCode !== null || Date.now() - from > UP_LIMIT_MS)
        throw new Error(`the Atropos server did not start: ${stderrOf(child)}`);
    }
  }

  /** As power cuts and the kernel end processes. */
  async kill(): Promise<void> {
    if (this.child) await killed(this.child);
    this.child = null;
  }

  /** What it answers; a body makes it a POST. */
  async ask(path: string, body?: unknown): Promise<{ status: number; json: unknown }> {
    const response = await fetch(this.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, json: response.ok ? JSON.parse(text) : text };
  }

  private async answers(): Promise<boolean> {
    try {
      return (await this.ask('/info')).status === 200;
    } catch {
      return false;
    }
  }
}

const tails = new WeakMap<ChildProcess, string>();
/** The end of what a program said on its standard error. */
export const stderrOf = (child: ChildProcess): string => tails.get(child) ?? '';

/** A program of the peers' environment that goes on until it is killed. */
export function startPython(args: readonly string[]): ChildProcess {
  const python = installedPython();
  if (python === null) throw new Error(missingPeers() ?? '');
  const child = spawn(python, args, {
    cwd: PEERS,
    env: peerEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr?.on('data', (chunk: Buffer) => tails.set(child, (stderrOf(child) + chunk).slice(-4_000)));
  return child;
}

export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
