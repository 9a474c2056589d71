import { existsSync, readdirSync } from 'node:fs';
import { LongrunError } from '../core/errors.js';
import { SECOND_MS } from '../core/time.js';
import { readLock } from '../machine/process-lock.js';
import { ensureServer, findLiving, noteStopped, type ReadyServer, type ServerInfo } from './ensure-server.js';
import { countClients, registerClient } from './server-clients.js';
import { atTheDoor } from './server-door.js';
import { makeServerFolder, type ServerFolder, serverFolder } from './server-folder.js';
import { NAMESPACE, stopProcess } from './server-process.js';

const WATCH_INTERVAL_MS = SECOND_MS;

export interface AttachOptions {
  stateDir: string;
  /** Told in one line what happens to the server. */
  log?: (line: string) => void;
}

export interface AttachedServer {
  /** Stays the same over a restart of the server, unless its port was taken meanwhile. */
  address: string;
  namespace: string;
  serverVersion: string;
  pid: number;
  /** Started by this call, or found running. */
  started: boolean;
  /** Leaves; the last one out stops the server. */
  detach(): Promise<void>;
}

/**
 * Joins the development server of the state folder, starting it where none runs. While attached, a server that
 * dies is started again on the same database and port.
 * Errors: `temporal_binary_missing`, `temporal_unreachable`.
 */
export async function attachServer({ stateDir, log }: AttachOptions): Promise<AttachedServer> {
  const folder = makeServerFolder(stateDir);
  const say = log ?? (() => undefined);
  const { server, leave } = await atTheDoor(folder, async () => {
    const server = await ensureServer(folder);
    return { server, leave: registerClient(folder.clients) };
  });
  say(describe(server));
  const watch = watchServer(folder, say);
  return {
    address: `127.0.0.1:${server.port}`,
    namespace: NAMESPACE,
    serverVersion: server.serverVersion,
    pid: server.identity.pid,
    started: server.started,
    detach: async () => {
      await watch.end();
      await atTheDoor(folder, async () => {
        leave();
        if (countClients(folder.clients) > 0) return;
        if (await stopHere(folder)) say('Temporal server stopped: nobody uses it any more');
      });
    },
  };
}

/** Stops the state folder's server whoever uses it; false when none was running. */
export async function stopServer(stateDir: string): Promise<boolean> {
  if (!existsSync(serverFolder(stateDir).path)) return false;
  const folder = makeServerFolder(stateDir);
  return await atTheDoor(folder, () => stopHere(folder));
}

export interface ServerStatus {
  running: boolean;
  /** Null when not running. */
  address: string | null;
  pid: number | null;
  /** Processes attached now. */
  clients: number;
  /** Database files in the folder, one per server version that ever ran here. */
  databases: string[];
}

/** What runs now; neither joins nor starts anything. */
export function serverStatus(stateDir: string): ServerStatus {
  const folder = serverFolder(stateDir);
  if (!existsSync(folder.path)) {
    return { running: false, address: null, pid: null, clients: 0, databases: [] };
  }
  const lock = readLock<ServerInfo>(folder.serverLock);
  const running = lock?.held === true && lock.info.phase === 'running';
  return {
    running,
    address: running ? `127.0.0.1:${lock.info.port}` : null,
    pid: running ? lock.holder.pid : null,
    clients: countClients(folder.clients),
    databases: readdirSync(folder.path).filter((name) => name.endsWith('.db')),
  };
}

async function stopHere(folder: ServerFolder): Promise<boolean> {
  const living = await findLiving(folder);
  if (living === null) return false;
  await stopProcess(living.identity);
  noteStopped(folder);
  return true;
}

/** Restarts a server that died by itself; one that was stopped on purpose stays down. */
function watchServer(folder: ServerFolder, say: (line: string) => void): { end(): Promise<void> } {
  let ended = false;
  let restart: Promise<void> = Promise.resolve();
  let busy = false;
  const look = async (): Promise<void> => {
    const lock = readLock<ServerInfo>(folder.serverLock);
    if (lock?.held || lock?.info.phase === 'stopped') return;
    say('Temporal server ended unexpectedly: starting it again');
    await atTheDoor(folder, async () => {
      if (!ended) say(describe(await ensureServer(folder)));
    });
  };
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    restart = look()
      .catch((error: unknown) =>
        say(`Temporal server: ${LongrunError.is(error) ? error.message : String(error)}`),
      )
      .finally(() => {
        busy = false;
      });
  }, WATCH_INTERVAL_MS);
  timer.unref();
  return {
    end: async () => {
      ended = true;
      clearInterval(timer);
      await restart;
    },
  };
}

function describe(server: ReadyServer): string {
  const what = `Temporal server ${server.serverVersion} on 127.0.0.1:${server.port}`;
  return server.started ? `${what} started` : `${what} found running`;
}
