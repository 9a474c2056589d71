import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type WorkflowBundleWithSourceMap } from '@temporalio/worker';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SILENT = { trace() {}, debug() {}, info() {}, log() {}, warn() {}, error: console.error };

export function bundleOf(root = ROOT): Promise<WorkflowBundleWithSourceMap> {
  return bundleWorkflowCode({ workflowsPath: join(root, 'workflows', 'index.ts'), logger: SILENT });
}

/** The workflows as they would be after an edit: a copy inside the project, so that packages resolve. */
export async function bundleOfEdited(
  file: string,
  edit: (source: string) => string,
): Promise<WorkflowBundleWithSourceMap> {
  const copies = join(ROOT, '.cache');
  await mkdir(copies, { recursive: true });
  const copy = await mkdtemp(join(copies, 'edited-'));
  try {
    for (const part of ['workflows', 'activities', 'src/core']) {
      await cp(join(ROOT, part), join(copy, part), { recursive: true });
    }
    await cp(join(ROOT, 'package.json'), join(copy, 'package.json'));
    const path = join(copy, file);
    const before = await readFile(path, 'utf8');
    const after = edit(before);
    if (after === before) throw new Error(`the edit of ${file} changed nothing`);
    await writeFile(path, after);
    return await bundleOf(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}
