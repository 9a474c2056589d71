import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, isListening } from '../../src/machine/ports.js';
import { goProgram } from './go-programs.js';
import { until } from './until.js';

const BUCKET = 'longrun';
const CREDENTIALS = { accessKeyId: 'test-access', secretAccessKey: 'test-secret-that-nobody-prints' };

/** A real S3 server with a bucket of its own, in a process that can be killed, frozen and started again. */
export class S3Server {
  readonly endpoint: string;
  private server: ChildProcess | null = null;

  private constructor(
    readonly folder: string,
    private readonly port: number,
  ) {
    this.endpoint = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<S3Server> {
    const folder = await mkdtemp(join(tmpdir(), 'longrun-s3-'));
    const server = new S3Server(folder, await freePort());
    // The server keeps buckets as folders.
    await mkdir(join(folder, 'data', BUCKET), { recursive: true });
    await server.up();
    return server;
  }

  /** What `--store` takes. */
  url(prefix = ''): string {
    return `s3://${BUCKET}${prefix && `/${prefix}`}?endpoint=${this.endpoint}&region=us-east-1`;
  }

  /** What a process needs beside the URL. */
  get env(): Record<string, string> {
    return {
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
      // Neither a profile of this machine nor its metadata service counts here.
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      AWS_EC2_METADATA_DISABLED: 'true',
    };
  }

  async up(): Promise<void> {
    const program = goProgram('versitygw');
    const child = spawn(
      program,
      ['--port', `127.0.0.1:${this.port}`, '--quiet', '--keep-alive', 'posix', join(this.folder, 'data')],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: {
          ROOT_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
          ROOT_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
        },
      },
    );
    let said = '';
    child.stderr.on('data', (chunk) => {
      said = `${said}${chunk}`.slice(-2_000);
    });
    this.server = child;
    await until(
      () => {
        if (child.exitCode !== null) throw new Error(`the S3 server ended: ${said}`);
        return isListening(this.port);
      },
      { what: 'the S3 server listens' },
    );
  }

  /** Answers nothing until `thaw`; connections stay open. */
  freeze(): void {
    this.server?.kill('SIGSTOP');
  }

  thaw(): void {
    this.server?.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (server === null || server.exitCode !== null) return;
    const gone = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await gone;
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Gives the environment of this process the credentials, until the answer is called. */
export function borrowEnv(env: Record<string, string>): () => void {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}
