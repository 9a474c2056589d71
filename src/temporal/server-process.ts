import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { LongrunError } from '../core/errors.js';
import { SECOND_MS } from '../core/time.js';
import { isListening } from '../machine/ports.js';
import {
  identifyProcess,
  isAlive,
  type ProcessIdentity,
  signalProcess,
} from '../machine/process-identity.js';
import { listCommandLines } from '../machine/process-list.js';
import { probeServer } from './probe-server.js';
import { type ServerSettings, serverArguments } from './server-arguments.js';

export const NAMESPACE = 'default';

/** A quiet machine needs half a second; one that is busy with other work has been seen to need ten. */
const READY_LIMIT_MS = 30 * SECOND_MS;
const READY_POLL_MS = 50;
const STOP_POLL_MS = 20;
const STOP_GRACE_MS = 5 * SECOND_MS;
/** A process that waits for a dead disk does not even hear SIGKILL. */
const KILL_LIMIT_MS = 30 * SECOND_MS;
const LOG_TAIL_LINES = 8;

/** What the server gets of our environment: no keys, and nothing that the Temporal CLI takes for settings. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ'];

export interface ServerProcess {
  identity: ProcessIdentity;
  port: number;
}

/** Starts the server in a session of its own, so that a terminal's Ctrl-C does not reach it. */
export function spawnServer(binary: string, settings: ServerSettings, logFile: string): ProcessIdentity {
  keepPreviousLog(logFile);
  const log = openSync(logFile, 'a', 0o600);
  try {
    const env = Object.fromEntries(PASSED_ON.map((name) => [name, process.env[name]]));
    const child = spawn(binary, serverArguments(settings), {
      detached: true,
      stdio: ['ignore', log, log],
      env,
    });
    // Without a listener a failed spawn would end this process; the missing pid says the same.
    child.once('error', () => undefined);
    child.unref();
    if (child.pid === undefined) throw startFailed(`${binary} could not be started`, '');
    const identity = identifyProcess(child.pid);
    if (identity === null) throw endedAtOnce(logFile);
    return identity;
  } finally {
    closeSync(log);
  }
}

/** Resolves with the server's version once it answers. Errors: `temporal_unreachable` with its last log lines. */
export async function untilReady(server: ServerProcess, logFile: string): Promise<string> {
  const deadline = Date.now() + READY_LIMIT_MS;
  while (Date.now() < deadline) {
    if (!isAlive(server.identity))
      throw startFailed('The Temporal server ended at once', await tail(logFile));
    const version = await askOnce(server.port);
    if (version !== null) return version;
    await sleep(READY_POLL_MS);
  }
  throw startFailed(
    `The Temporal server (pid ${server.identity.pid}) does not answer on port ${server.port}`,
    tail(logFile),
  );
}

/** SIGTERM, and SIGKILL when that is not enough. Errors: `temporal_unreachable` when that is not enough either. */
export async function stopProcess(identity: ProcessIdentity): Promise<void> {
  signalProcess(identity, 'SIGTERM');
  const deadline = Date.now() + STOP_GRACE_MS;
  while (isAlive(identity)) {
    if (Date.now() >= deadline + KILL_LIMIT_MS) throw notStopped(identity);
    if (Date.now() >= deadline) signalProcess(identity, 'SIGKILL');
    await sleep(STOP_POLL_MS);
  }
}

/** The server that has this folder's database open, whoever started it: two on one file would corrupt it. */
export async function findServerOn(folder: string): Promise<ServerProcess | null> {
  for (const { pid, args } of await listCommandLines()) {
    const database = args[args.indexOf('--db-filename') + 1];
    const port = Number(args[args.indexOf('--port') + 1]);
    if (!args.includes('start-dev') || !database?.startsWith(`${folder}/`) || !(port > 0)) continue;
    const identity = identifyProcess(pid);
    if (identity !== null) return { identity, port };
  }
  return null;
}

async function askOnce(port: number): Promise<string | null> {
  if (!(await isListening(port))) return null;
  try {
    return (await probeServer({ address: `127.0.0.1:${port}` }, NAMESPACE, 2 * SECOND_MS)).serverVersion;
  } catch {
    // Listening but not yet serving: asked again until the limit, which reports.
    return null;
  }
}

function keepPreviousLog(logFile: string): void {
  try {
    renameSync(logFile, `${logFile}.previous`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function tail(logFile: string): string {
  const text = existsSync(logFile) ? readFileSync(logFile, 'utf8') : '';
  return text.trim().split('\n').slice(-LOG_TAIL_LINES).join('\n');
}

function endedAtOnce(logFile: string): LongrunError {
  return startFailed('The Temporal server ended at once', tail(logFile));
}

function notStopped({ pid }: ProcessIdentity): LongrunError {
  return new LongrunError('temporal_unreachable', `The Temporal server (pid ${pid}) cannot be killed`, {
    hint: 'It may wait for a disk that does not answer. Try again once it has ended.',
    retryable: true,
  });
}

function startFailed(message: string, logTail: string): LongrunError {
  return new LongrunError('temporal_unreachable', logTail === '' ? message : `${message}:\n${logTail}`, {
    hint: 'See the log in the state folder (temporal/server.log), or set TEMPORAL_ADDRESS to a running server.',
    details: { logTail },
  });
}
