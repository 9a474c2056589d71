import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../../../src/machine/ports.js';

const run = promisify(execFile);
const ip = (...args: string[]) => run('ip', args);
const SERVER = fileURLToPath(new URL('answering.child.mjs', import.meta.url));

/**
 * A stand-in for the internet, a network namespace that this machine routes to, and a server on this machine itself.
 * Both answer on the same port by TCP and UDP, and names by DNS.
 */
export class Internet {
  /** What every name resolves to. */
  readonly resolved = '203.0.113.7';
  private readonly servers: ChildProcess[] = [];

  private constructor(
    private readonly name: string,
    readonly port: number,
    /** Of the namespace: an address that others have. */
    readonly address: string,
    /** Of the namespace as well: link-local, as where clouds tell machines about themselves. */
    readonly linkLocal: string,
    /** Of this machine, on the way there. */
    readonly hostAddress: string,
  ) {}

  static async open(): Promise<Internet> {
    // Reserved for measurements (RFC 2544): nobody's addresses, and several of these may be open at once.
    const [b, c] = [randomInt(256), randomInt(1, 255)];
    const made = new Internet(
      `lr-${randomInt(0x1000000).toString(16)}`,
      await freePort(),
      `198.18.${b}.${c - (c % 4) + 2}`,
      `169.254.${b}.${c}`,
      `198.18.${b}.${c - (c % 4) + 1}`,
    );
    try {
      await made.connect();
      await made.serve('ip', ['netns', 'exec', made.name, process.execPath], made.address);
      await made.serve(process.execPath, [], made.hostAddress);
      return made;
    } catch (error) {
      await made.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    for (const server of this.servers) {
      server.kill('SIGKILL');
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    }
    // The other end goes with it, and the routes with that.
    await ip('link', 'delete', this.name).catch(() => undefined);
    await ip('netns', 'delete', this.name).catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const inside = (...args: string[]) => ip('-netns', this.name, ...args);
    await ip('netns', 'add', this.name);
    await ip('link', 'add', this.name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', this.name);
    await ip('address', 'add', `${this.hostAddress}/30`, 'dev', this.name);
    await ip('link', 'set', this.name, 'up');
    await inside('address', 'add', `${this.address}/30`, 'dev', 'eth0');
    await inside('address', 'add', `${this.linkLocal}/32`, 'dev', 'eth0');
    await inside('link', 'set', 'lo', 'up');
    await inside('link', 'set', 'eth0', 'up');
    await inside('route', 'add', 'default', 'via', this.hostAddress);
    await ip('route', 'add', `${this.linkLocal}/32`, 'via', this.address);
  }

  private async serve(command: string, args: string[], dnsAddress: string): Promise<void> {
    const server = spawn(command, [...args, SERVER, String(this.port), dnsAddress], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.servers.push(server);
    const ended = once(server, 'exit').then(([code]) => {
      throw new Error(`the server on ${dnsAddress} ended with ${code}`);
    });
    await Promise.race([once(createInterface(server.stdout), 'line'), ended]);
    ended.catch(() => undefined);
  }
}
