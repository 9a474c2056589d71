import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const RULES = /noRestrictedImports|noNodejsModules|noFloatingPromises|plugin/;

const REFUSED: Record<string, string> = {
  'workflows/zod.ts': `import { z } from 'zod';\nexport const s = z;\n`,
  'workflows/node.ts': `import fs from 'node:fs';\nexport const f = fs;\n`,
  'workflows/activity.ts': `import { a } from '../activities/host.js';\nexport const b = a;\n`,
  'workflows/schema.ts': `import { taskSchema } from '../src/core/rollout/task.schema.js';\nexport const s = taskSchema;\n`,
  'workflows/store.ts': `import { keys } from '../src/store/keys.js';\nexport const k = keys;\n`,
  'src/core/zod.ts': `import { z } from 'zod';\nexport const s = z;\n`,
  'src/core/node.ts': `import { join } from 'node:path';\nexport const j = join;\n`,
  'src/formats/node.ts': `import { readFile } from 'node:fs/promises';\nexport const r = readFile;\n`,
  'src/store/floating.ts':
    'async function save(): Promise<void> {}\nexport function f(): void {\n  save();\n}\n',
};

const ACCEPTED: Record<string, string> = {
  'workflows/sdk.ts': `import { sleep } from '@temporalio/workflow';\nexport const s = sleep;\n`,
  'workflows/types.ts': `import type { A } from '../activities/host.js';\nexport type B = A;\n`,
  'workflows/schema-types.ts': `import type { Task } from '../src/core/rollout/task.schema.js';\nexport type T = Task;\n`,
  'src/core/a.schema.ts': `import { z } from 'zod';\nexport const s = z;\n`,
};

let folder = '';
/** File → rules that it breaks, from one run over a folder that has our rules and these files. */
const findings = new Map<string, string[]>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longrun-lint-'));
  for (const path of ['biome.json', '.gitignore', 'scripts/lint']) {
    await cp(join(ROOT, path), join(folder, path), { recursive: true });
  }
  for (const [file, code] of Object.entries({ ...REFUSED, ...ACCEPTED })) {
    await mkdir(join(folder, dirname(file)), { recursive: true });
    await writeFile(join(folder, file), code);
  }
  for (const { category, location } of await lint()) {
    findings.set(location.path, [...(findings.get(location.path) ?? []), category]);
  }
}, 60_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

interface Diagnostic {
  category: string;
  location: { path: string };
}

async function lint(): Promise<Diagnostic[]> {
  const biome = join(ROOT, 'node_modules', '.bin', 'biome');
  const args = ['lint', '--reporter=json', '--max-diagnostics=200', '.'];
  const report = await new Promise<string>((resolve) => {
    execFile(biome, args, { cwd: folder }, (_error, stdout) => resolve(stdout));
  });
  return JSON.parse(report).diagnostics;
}

test.each(Object.keys(REFUSED))('the linter refuses what %s does', (file) => {
  expect(findings.get(file)?.filter((rule) => RULES.test(rule)) ?? []).not.toEqual([]);
});

test.each(Object.keys(ACCEPTED))('the linter accepts what %s does', (file) => {
  expect(findings.get(file) ?? []).toEqual([]);
});
