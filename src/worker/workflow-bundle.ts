import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { WorkflowBundleOption, WorkflowBundleWithSourceMap } from '@temporalio/worker';

let fromSource: Promise<WorkflowBundleWithSourceMap> | null = null;

/** The bundle made by the build; from sources (tests, development) it is made once per process. */
export async function workflowBundle(): Promise<WorkflowBundleOption> {
  const built = fileURLToPath(new URL('../../workflow-bundle.js', import.meta.url));
  if (existsSync(built)) return { codePath: built };
  fromSource ??= bundleFromSource();
  return fromSource;
}

async function bundleFromSource(): Promise<WorkflowBundleWithSourceMap> {
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  return bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
    logger: { trace() {}, debug() {}, info() {}, log() {}, warn: console.error, error: console.error },
  });
}
