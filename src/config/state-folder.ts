import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The folder of results, database and caches: `--state-dir`, else LONGRUN_HOME, else the XDG state folder. */
export function stateFolder(stateDir: string | null, env: NodeJS.ProcessEnv): string {
  if (stateDir) return resolve(stateDir);
  if (env.LONGRUN_HOME) return resolve(env.LONGRUN_HOME);
  return join(env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state'), 'longrun');
}
