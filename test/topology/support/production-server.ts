import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { stringify } from 'yaml';
import { isPortFree } from '../../../src/machine/ports.js';
import { probeServer } from '../../../src/temporal/probe-server.js';
import { findServerBinary } from '../../../src/temporal/server-binary.js';
import { goProgram } from '../../support/go-programs.js';
import { until } from '../../support/until.js';

const run = promisify(execFile);
const DOCKER = new URL('../../../docker/', import.meta.url);
const DYNAMIC_CONFIG = fileURLToPath(new URL('dynamicconfig.yaml', DOCKER));
const USER = 'temporal';
const DATABASES = ['temporal', 'visibility'] as const;
export const NAMESPACE = 'benchmarks';

/** The production Temporal server on PostgreSQL, set up as its project documents it. */
export class ProductionServer {
  private server: ChildProcess | null = null;

  private constructor(
    private readonly folder: string,
    private readonly port: number,
  ) {}

  static async start(postgresPort: number): Promise<ProductionServer> {
    await runScript('setup-schema.sh', {
      POSTGRES_HOST: '127.0.0.1',
      POSTGRES_PORT: String(postgresPort),
      POSTGRES_USER: USER,
      SQL_PASSWORD: 'unused',
    });
    const folder = await mkdtemp(join(tmpdir(), 'longrun-temporal-'));
    await mkdir(join(folder, 'config'));
    const ports = await lowPorts(8);
    const config = serverConfig(postgresPort, ports);
    await writeFile(join(folder, 'config', 'prod.yaml'), stringify(config));
    const server = new ProductionServer(folder, ports[0] as number);
    try {
      await server.up();
      await server.addNamespace();
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  async up(): Promise<void> {
    const log = openSync(join(this.folder, 'server.log'), 'a');
    const args = ['--root', this.folder, '--config', 'config', '--env', 'prod', '--allow-no-auth', 'start'];
    const child = spawn(goProgram('temporal-server'), args, { stdio: ['ignore', log, log] });
    closeSync(log);
    this.server = child;
    const ended = async () => {
      if (child.exitCode === null) return;
      const said = await readFile(join(this.folder, 'server.log'), 'utf8');
      throw new Error(`the Temporal server ended: ${said.slice(-2_000)}`);
    };
    await until(
      async () => {
        await ended();
        return await answers(this.address, 'temporal-system');
      },
      { what: 'the production server answers' },
    );
  }

  /** A namespace is known to every service only after their caches have been renewed, about ten seconds. */
  private async addNamespace(): Promise<void> {
    await runScript('create-namespace.sh', { TEMPORAL_ADDRESS: this.address, TEMPORAL_NAMESPACE: NAMESPACE });
    const connection = await Connection.connect({ address: this.address });
    try {
      const known = () =>
        connection.workflowService.countWorkflowExecutions({ namespace: NAMESPACE, query: '' }).then(
          () => true,
          () => false,
        );
      await until(known, { what: `namespace ${NAMESPACE} is known` });
    } finally {
      await connection.close();
    }
  }

  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.end('SIGTERM');
    await rm(this.folder, { recursive: true, force: true });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { server } = this;
    this.server = null;
    if (server === null || server.exitCode !== null) return;
    const gone = new Promise((resolve) => server.once('exit', resolve));
    server.kill(signal);
    const hard = setTimeout(() => server.kill('SIGKILL'), 10_000);
    await gone;
    clearTimeout(hard);
  }
}

/** The server keeps ports of its members in a smallint: those that the system hands out are too high. */
async function lowPorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = randomInt(10_000, 32_000);
    if (await isPortFree(port)) found.add(port);
  }
  return [...found];
}

async function answers(address: string, namespace: string): Promise<boolean> {
  return await probeServer({ address }, namespace, 1_000).then(
    () => true,
    () => false,
  );
}

/** The scripts that docker-compose.yml runs, with the tools under the names that they have in its images. */
async function runScript(name: string, env: Record<string, string>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'longrun-tools-'));
  try {
    await symlink(goProgram('temporal-sql-tool'), join(folder, 'temporal-sql-tool'));
    await symlink((await findServerBinary()).path, join(folder, 'temporal'));
    const PATH = `${folder}:${process.env.PATH}`;
    await run('/bin/sh', [fileURLToPath(new URL(name, DOCKER))], { env: { ...process.env, ...env, PATH } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const databaseOf = (name: (typeof DATABASES)[number]): string =>
  name === 'temporal' ? 'temporal' : 'temporal_visibility';

function serverConfig(postgresPort: number, ports: readonly number[]): unknown {
  const sql = (name: (typeof DATABASES)[number], maxConns: number) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName: databaseOf(name),
      connectAddr: `127.0.0.1:${postgresPort}`,
      connectProtocol: 'tcp',
      user: USER,
      password: 'unused',
      maxConns,
      maxIdleConns: maxConns,
    },
  });
  const rpc = (nth: number) => ({
    rpc: { grpcPort: ports[2 * nth], membershipPort: ports[2 * nth + 1], bindOnLocalHost: true },
  });
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'state',
      visibilityStore: 'visibility',
      numHistoryShards: 4,
      datastores: { state: sql('temporal', 20), visibility: sql('visibility', 5) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: { frontend: rpc(0), matching: rpc(1), history: rpc(2), worker: rpc(3) },
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${ports[0]}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: DYNAMIC_CONFIG, pollInterval: '10s' },
  };
}
