import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerTest } from '../../support/inline-task.js';

/** Writes a Harbor task whose solution is a word in /app/answer. `files` replaces or adds, null leaves out. */
export function writeTask(folder: string, taskId: string, files: Record<string, string | null> = {}): string {
  const path = join(folder, taskId);
  const all: Record<string, string | null> = {
    'task.toml': TOML,
    'instruction.md': `Write ${taskId} into /app/answer.\n`,
    'environment/Dockerfile': 'FROM debian:bookworm-slim\nWORKDIR /app\n',
    'tests/test.sh': answerTest(taskId),
    'solution/solve.sh': `#!/bin/bash\necho ${taskId} > /app/answer\n`,
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    if (content === null) continue;
    mkdirSync(join(path, name, '..'), { recursive: true });
    writeFileSync(join(path, name), content, { mode: 0o755 });
  }
  return path;
}

const TOML = `version = "1.0"

[metadata]
category = "words"

[environment]
network_mode = "no-network"
`;
