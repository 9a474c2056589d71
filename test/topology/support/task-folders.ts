import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readTar } from '../../../src/sandbox/tar-entries.js';
import type { LoadedTask } from '../../../src/tasks/environment.js';
import { chaosTasks } from '../../chaos/support/chaos-tasks.js';

const TOML = 'version = "1.0"\n\n[environment]\nnetwork_mode = "no-network"\n';
const DOCKERFILE = 'FROM debian:bookworm-slim\nWORKDIR /app\n';

/** Writes the tasks of the fault tests as folders, as a user has them. */
export async function writeTaskFolders(folder: string): Promise<void> {
  for (const loaded of await chaosTasks('docker')) {
    const files = {
      'task.toml': TOML,
      'instruction.md': `${loaded.task.inputs.instruction}\n`,
      'environment/Dockerfile': DOCKERFILE,
      'tests/test.sh': await testScript(loaded),
    };
    for (const [name, content] of Object.entries(files)) {
      const path = join(folder, loaded.task.taskId, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content, { mode: 0o755 });
    }
  }
}

async function testScript({ task, blobs }: LoadedTask): Promise<Uint8Array> {
  const load = blobs.get(task.evalCriteria.steps[0]?.verifier.tests?.sha256 ?? '');
  const entries = load === undefined ? [] : await readTar(await load());
  const script = entries.find(({ path }) => path === 'test.sh');
  if (script === undefined) throw new Error(`${task.taskId} has no test script`);
  return script.content;
}
