import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { LongrunError } from '../core/errors.js';
import { isAtLeast, OLDEST_SERVER, serverTooOld } from './server-version.js';

/** A Temporal CLI, which holds the development server. */
export interface ServerBinary {
  path: string;
  /** Of the server inside, not of the CLI: `1.29.1`. */
  serverVersion: string;
  foundBy: string;
}

/** What `go install` needs to build it; a plain install would call itself 0.0.0-DEV. */
export const GO_INSTALL =
  'go install -ldflags "-s -w -X github.com/temporalio/cli/temporalcli.Version=1.5.1" github.com/temporalio/cli/cmd/temporal@v1.5.1';

interface Candidate {
  path: string;
  foundBy: string;
}

/**
 * The first Temporal CLI that runs, in this order: LONGRUN_TEMPORAL_BINARY (then nothing else counts), PATH, Go's
 * bin folder, our cache. Errors: `temporal_binary_missing`, `temporal_version`.
 */
export async function findServerBinary(env: NodeJS.ProcessEnv = process.env): Promise<ServerBinary> {
  const configured = env.LONGRUN_TEMPORAL_BINARY;
  if (configured) {
    const serverVersion = await askVersion(configured);
    if (serverVersion !== null) {
      return { path: configured, serverVersion, foundBy: 'LONGRUN_TEMPORAL_BINARY' };
    }
    throw new LongrunError(
      'temporal_binary_missing',
      `LONGRUN_TEMPORAL_BINARY is ${configured}, which is not a Temporal CLI that runs here`,
      { hint: 'Point it at the `temporal` program, or unset it to search PATH.' },
    );
  }
  let tooOld: ServerBinary | null = null;
  for (const candidate of candidates(env)) {
    if (!(await isExecutable(candidate.path))) continue;
    const serverVersion = await askVersion(candidate.path);
    if (serverVersion === null) continue;
    if (isAtLeast(serverVersion, OLDEST_SERVER)) return { ...candidate, serverVersion };
    tooOld ??= { ...candidate, serverVersion };
  }
  if (tooOld !== null) throw serverTooOld(`${tooOld.path} holds Temporal server`, tooOld.serverVersion);
  throw new LongrunError('temporal_binary_missing', 'No Temporal server program was found on this machine', {
    hint: `Install one of: \`brew install temporal\` · \`${GO_INSTALL}\` (about five minutes) · or set TEMPORAL_ADDRESS to a running server.`,
  });
}

/** Where programs of ours are kept. */
export function cacheBinFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'longrun', 'bin');
}

function candidates(env: NodeJS.ProcessEnv): Candidate[] {
  const home = env.HOME || homedir();
  const onPath = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const goFolders = [
    env.GOBIN,
    ...(env.GOPATH ?? '').split(delimiter).map((folder) => folder && join(folder, 'bin')),
    join(home, 'go', 'bin'),
  ].filter((folder): folder is string => Boolean(folder));
  return [
    ...onPath.map((folder) => ({ path: join(folder, 'temporal'), foundBy: 'PATH' })),
    ...goFolders.map((folder) => ({ path: join(folder, 'temporal'), foundBy: "Go's bin folder" })),
    { path: join(cacheBinFolder(env), 'temporal'), foundBy: 'cache' },
  ];
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Null when the program does not run, or is something else that bears the name. */
async function askVersion(path: string): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: 10_000 });
    return /Server (\d+\.\d+\.\d+)/.exec(stdout)?.[1] ?? null;
  } catch {
    return null;
  }
}
