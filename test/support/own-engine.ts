import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BASE_IMAGE } from './engine.js';
import { until } from './until.js';

const run = promisify(execFile);

export interface OwnEngineOptions {
  /** Whether containers survive a restart of the engine. */
  liveRestore: boolean;
  /** The engine's own words on networks it may make; none by default. */
  networking?: readonly string[];
}

/**
 * A Docker engine of a test's own, that can be killed without harm to the machine's: own folders, own
 * socket, no network. containerd runs beside it, as on hosts where both are services.
 */
export class OwnEngine {
  private containerd: ChildProcess | null = null;
  private engine: ChildProcess | null = null;

  private constructor(
    private readonly folder: string,
    private readonly options: OwnEngineOptions,
  ) {}

  /** Starts it with the base image in it. */
  static async start(options: OwnEngineOptions): Promise<OwnEngine> {
    const made = new OwnEngine(await mkdtemp(join(tmpdir(), 'longrun-test-engine-')), options);
    try {
      await made.startContainerd();
      await made.startEngine();
      await run('sh', ['-c', `docker save ${BASE_IMAGE} | DOCKER_HOST=${made.address} docker load`]);
      return made;
    } catch (error) {
      await made.close();
      throw error;
    }
  }

  /** For DOCKER_HOST. */
  get address(): string {
    return `unix://${this.folder}/docker.sock`;
  }

  /** The engine's own client, pointed at this engine. */
  async docker(...args: string[]): Promise<string> {
    return (await run('docker', ['--host', this.address, ...args])).stdout.trim();
  }

  /** Ends the engine and not containerd. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    await ended(this.engine, signal);
    this.engine = null;
  }

  async startEngine(): Promise<void> {
    const path = (name: string) => join(this.folder, name);
    await writeFile(path('daemon.json'), '{}');
    await rm(path('docker.pid'), { force: true });
    // In a network namespace of its own: an engine without a bridge removes `docker0`, which is the machine's.
    this.engine = await this.spawn('unshare', [
      ...['--net', '--', 'dockerd'],
      ...['--config-file', path('daemon.json'), '--data-root', path('data'), '--exec-root', path('exec')],
      ...['--pidfile', path('docker.pid'), '--host', this.address, '--containerd', path('containerd.sock')],
      ...['--bridge=none', '--iptables=false', '--ip-masq=false'],
      ...(this.options.liveRestore ? ['--live-restore'] : []),
      ...(this.options.networking ?? []),
    ]);
    const answers = () =>
      this.docker('version').then(
        () => true,
        () => false,
      );
    await until(answers, { what: 'the test’s own engine answers' }).catch(async (error) => {
      throw new Error(`${error.message}\n${(await readFile(path('log'), 'utf8')).slice(-2_000)}`);
    });
  }

  /** Removes its containers, ends it and takes its folder away. */
  async close(): Promise<void> {
    if (this.engine !== null) {
      const left = (await this.docker('ps', '--all', '--quiet')).split('\n').filter((id) => id !== '');
      if (left.length > 0) await this.docker('rm', '--force', '--volumes', ...left);
    }
    await this.end('SIGTERM');
    await ended(this.containerd, 'SIGTERM');
    // The engine mounts its data folder on itself, and for containers in the host's network that.
    for (const mounted of ['data', 'exec/netns/default'])
      await run('umount', ['--recursive', join(this.folder, mounted)]).catch(() => undefined);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private async startContainerd(): Promise<void> {
    const path = (name: string) => join(this.folder, name);
    await mkdir(path('containerd'));
    await writeFile(
      path('containerd.toml'),
      `version = 2
root = "${path('containerd/root')}"
state = "${path('containerd/state')}"
disabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]
  address = "${path('containerd.sock')}"
`,
    );
    this.containerd = await this.spawn('containerd', ['--config', path('containerd.toml')]);
  }

  private async spawn(command: string, args: string[]): Promise<ChildProcess> {
    const log = await open(join(this.folder, 'log'), 'a');
    try {
      const child = spawn(command, args, { stdio: ['ignore', log.fd, log.fd] });
      await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
      return child;
    } finally {
      await log.close();
    }
  }
}

async function ended(child: ChildProcess | null, signal: NodeJS.Signals): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exit;
}
