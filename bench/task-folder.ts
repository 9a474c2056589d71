import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What every benched task is checked with: it reads what the agent left and writes a reward. */
export const TEST_SCRIPT = `#!/bin/bash
mkdir -p /logs/verifier
if [ -e /app ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
`;

const taskToml = (taskId: string, image: string) => `schema_version = "1.4"

[task]
name = "bench/${taskId}"
description = "A task that costs nothing itself"

[agent]
timeout_sec = 3600.0

[verifier]
timeout_sec = 120.0

[environment]
docker_image = "${image}"
network_mode = "no-network"
workdir = "/app"
`;

/** Writes a Harbor task, or a data set of copies of it, and answers its folder. `host`: this machine's own programs. */
export async function writeTasks(parent: string, image: string, count: number): Promise<string> {
  if (count === 1) return writeTask(parent, 'plain', image);
  for (let n = 0; n < count; n++) await writeTask(parent, `plain-${n}`, image);
  return parent;
}

async function writeTask(parent: string, taskId: string, image: string): Promise<string> {
  const folder = join(parent, taskId);
  const test = join(folder, 'tests', 'test.sh');
  await mkdir(join(folder, 'tests'), { recursive: true });
  await writeFile(join(folder, 'task.toml'), taskToml(taskId, image));
  await writeFile(join(folder, 'instruction.md'), 'Run the commands that you are asked for.\n');
  await writeFile(test, TEST_SCRIPT);
  await chmod(test, 0o755);
  return folder;
}
