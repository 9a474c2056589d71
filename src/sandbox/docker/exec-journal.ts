import { randomBytes } from 'node:crypto';
import type Dockerode from 'dockerode';
import { LongrunError } from '../../core/errors.js';
import {
  type ExecReport,
  execArguments,
  type KillReason,
  outputHalves,
  parseReport,
  type Spool,
} from '../exec-report.js';
import { EXEC_SCRIPT, REPORT_SCRIPT, TRIM_SCRIPT } from '../exec-script.js';
import type { ExecHandle, ExecRequest } from '../sandbox.js';
import { isRoot, spoolFolder } from '../spool.js';
import { asking, engineStatus, toLongrunError } from './engine-error.js';
import { type ExecStream, openExecStream } from './exec-stream.js';
import { firstOf } from './first-of.js';
import { KILL_ALL_SIGNAL } from './pid-one.js';

/** Longest wait for a script of ours inside a container before harder means are taken. */
const SCRIPT_LIMIT_MS = 10_000;
const NEVER = new AbortController().signal;

export interface ExecFacts {
  running: boolean;
  started: boolean;
  exitCode: number | null;
}

/** The engine's exec objects of one container, and the spools beside them. */
export class ExecJournal {
  private readonly container: Dockerode.Container;

  constructor(
    private readonly docker: Dockerode,
    containerId: string,
    private readonly defaults: { user: string; workdir: string },
  ) {
    this.container = docker.getContainer(containerId);
  }

  /** The handle names the spool, the engine's exec object, and the user where that is not root: `<token>.<engine id>[.<user in hex>]`. */
  async create(request: ExecRequest): Promise<ExecHandle> {
    const token = Date.now().toString(36) + randomBytes(5).toString('hex');
    const user = request.user ?? this.defaults.user;
    const spool = { folder: spoolFolder(user), token };
    const { args, stdin } = execArguments(spool, request, request.cwd ?? this.defaults.workdir);
    const exec = await asking('creating a command', () =>
      this.container.exec({
        Cmd: ['/bin/sh', '-c', EXEC_SCRIPT, 'sh', ...args],
        Env: Object.entries(request.env).map(([name, value]) => `${name}=${value}`),
        User: user,
        // The container's own may be gone by now; the script enters the directory and says so.
        WorkingDir: '/',
        AttachStdin: stdin !== null,
        AttachStdout: true,
        AttachStderr: true,
      }),
    );
    const named = isRoot(user) ? '' : `.${Buffer.from(user).toString('hex')}`;
    return { execId: `${token}.${exec.id}${named}` };
  }

  /** Starts it; the stream may end without the command having begun. */
  async open(handle: ExecHandle, request: ExecRequest): Promise<ExecStream> {
    const { engineId, spool } = split(handle);
    const { stdin } = execArguments(spool, request, '/');
    return openExecStream(this.docker.getExec(engineId), request.outputLimitBytes, stdin);
  }

  /** Null when the engine has forgotten it. */
  async inspect(handle: ExecHandle): Promise<ExecFacts | null> {
    try {
      const info = await this.docker.getExec(split(handle).engineId).inspect();
      const exitCode: number | null = info.ExitCode ?? null;
      return { running: info.Running, exitCode, started: info.Running || exitCode !== null || info.Pid > 0 };
    } catch (error) {
      if (engineStatus(error) === 404) return null;
      throw toLongrunError(error, 'asking for a command');
    }
  }

  /** Kills the command when a reason is given, and reads its spool. Null: nothing could be run for it. */
  async report(handle: ExecHandle, limitBytes: number, kill: KillReason | null): Promise<ExecReport | null> {
    const { head, tail } = outputHalves(limitBytes);
    const exec = await this.ownScript(REPORT_SCRIPT, handle, [String(head), String(tail), kill ?? '']);
    try {
      const stream = await openExecStream(exec, limitBytes, null);
      await firstOf(stream.ended, SCRIPT_LIMIT_MS, NEVER).finally(() => stream.close());
      return parseReport(stream.stdout, limitBytes);
    } catch (error) {
      if (engineStatus(error) !== null) return null;
      throw toLongrunError(error, 'reading a command');
    }
  }

  /** Keeps the spool of a long command small. Best effort: the tmpfs bounds it in any case. */
  async trim(handle: ExecHandle, limitBytes: number): Promise<void> {
    const { head, tail } = outputHalves(limitBytes);
    try {
      const exec = await this.ownScript(TRIM_SCRIPT, handle, [String(head), String(tail)]);
      await exec.start({ Detach: true });
    } catch (error) {
      if (engineStatus(error) === null && !LongrunError.is(error)) throw error;
    }
  }

  /** Ends every process but PID 1, which does it without forking: works when no process can be had. */
  async killAll(): Promise<void> {
    await asking('killing all processes', () => this.container.kill({ signal: KILL_ALL_SIGNAL }));
  }

  /** Whether the container has as many processes as it may have. */
  async isOutOfProcesses(): Promise<boolean> {
    const stats = await asking('counting processes', () =>
      this.container.stats({ stream: false, 'one-shot': true }),
    );
    const { current, limit } = stats.pids_stats ?? {};
    return current !== undefined && limit !== undefined && limit > 0 && current > limit - PROCESS_RESERVE;
  }

  /** As the command's user: what that user wrote must not be read, or acted upon, by root. */
  private ownScript(script: string, handle: ExecHandle, args: string[]): Promise<Dockerode.Exec> {
    const { user, spool } = split(handle);
    return asking('creating a command', () =>
      this.container.exec({
        Cmd: ['/bin/sh', '-c', script, 'sh', spool.folder, spool.token, ...args],
        User: user,
        WorkingDir: '/',
        AttachStdout: true,
        AttachStderr: true,
      }),
    );
  }
}

/** The engine's own helper needs about ten threads to enter a container. */
const PROCESS_RESERVE = 16;

function split(handle: ExecHandle): { engineId: string; user: string; spool: Spool } {
  const [token = '', engineId = '', named = ''] = handle.execId.split('.');
  if (!/^[a-z0-9]+$/.test(token) || !/^[0-9a-f]+$/.test(engineId) || !/^[0-9a-f]*$/.test(named)) {
    throw new LongrunError('bad_input', `"${handle.execId}" is no command of a Docker sandbox.`);
  }
  const user = named === '' ? '0:0' : Buffer.from(named, 'hex').toString('utf8');
  return { engineId, user, spool: { folder: spoolFolder(user), token } };
}

/** Whether the engine's words refuse a second start; older engines say so only on the attached stream. */
export function refusesSecondStart(words: string): boolean {
  return /exec command \S+ (is already running|has already run)|already (running|started)/i.test(words);
}
