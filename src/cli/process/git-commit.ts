import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The commit of the checkout that longrun runs from; null where it is an installed package, or git is missing. */
export async function gitCommit(): Promise<string | null> {
  for (const up of ['../../../', '../../../../']) {
    const root = fileURLToPath(new URL(up, import.meta.url));
    // A package that lies somewhere inside another project's checkout is not that project.
    if (!existsSync(`${root}.git`)) continue;
    const answer = await run('git', ['-C', root, 'rev-parse', 'HEAD']).catch(() => null);
    return answer?.stdout.trim() ?? null;
  }
  return null;
}
