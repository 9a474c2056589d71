import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { buildContext } from '../../src/tasks/harbor/docker-context.js';
import { threat } from '../support/threat.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SECRET_FILES = ['.env', 'docker/.env', '.env.local', 'examples/grpo-loop/.env.production'];
const KEPT = ['docker/env.example', 'src/cli/main.ts'];

describe(threat('whoever gets the repository or an image', 'passwords and keys in `.env`'), () => {
  it('git does not take them in', () => {
    const { stdout } = spawnSync('git', ['check-ignore', '--no-index', ...SECRET_FILES, ...KEPT], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(stdout.trim().split('\n')).toEqual(SECRET_FILES);
  });

  it('no image is built with them', async () => {
    const entry = (path: string) => ({
      path,
      kind: 'file' as const,
      mode: 0o600,
      target: '',
      at: ROOT + path,
    });
    const context = await buildContext(['.dockerignore', ...SECRET_FILES, ...KEPT].map(entry));
    const paths = context.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(KEPT));
    expect(paths.filter((path) => SECRET_FILES.includes(path))).toEqual([]);
  });
});
