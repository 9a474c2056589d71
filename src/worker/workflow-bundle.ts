import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sourceBundle } from './source-bundle.js';

let fromSource: Promise<string> | null = null;

/** The file of the bundle made by the build; where the sources run themselves (tests, development), of one made of them. */
export async function workflowBundle(): Promise<{ codePath: string }> {
  const built = fileURLToPath(new URL('../../workflow-bundle.js', import.meta.url));
  if (existsSync(built)) return { codePath: built };
  fromSource ??= sourceBundle(fileURLToPath(new URL('../..', import.meta.url)));
  return { codePath: await fromSource };
}
