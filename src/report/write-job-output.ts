import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LongrunError } from '../core/errors.js';
import type { Task } from '../core/rollout/task.schema.js';
import { type JobFiles, jobFiles, trialFiles } from '../formats/harbor-job/job-files.js';
import { trialLock } from '../formats/harbor-job/trial-config.js';
import type { HarborJob } from '../formats/harbor-job/trial-records.js';
import { readTrial } from '../records/read-trial.js';
import type { RunDocument } from '../records/summary.js';
import { errnoOf, toStoreError } from '../store/filesystem/store-error.js';
import { readTask } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';

/**
 * Writes a run as a job in Harbor's layout, `<outputDir>/<runId>/…`, and answers that folder. It is
 * written under another name and renamed, so that a half-written job is never found; the job of an
 * earlier call for the same run is replaced. Errors: `already_exists` for a folder that is something
 * else, `store_full`, `store_unavailable`.
 */
export async function writeJobOutput(
  store: ArtifactStore,
  document: RunDocument,
  outputDir: string,
): Promise<string> {
  const jobsDir = resolve(outputDir);
  const target = join(jobsDir, document.run.runId);
  const partial = join(jobsDir, `.${document.run.runId}.partial`);
  try {
    await refuseForeign(target, document.run.runId);
    await rm(partial, { recursive: true, force: true });
    await mkdir(jobsDir, { recursive: true });
    // Not recursive: a folder that another user has put there since is not taken for ours.
    await mkdir(partial);
    await writeJob(store, document, jobsDir, partial);
    await rm(target, { recursive: true, force: true });
    await rename(partial, target);
    return target;
  } catch (cause) {
    throw toStoreError(cause, target, jobsDir);
  }
}

async function writeJob(
  store: ArtifactStore,
  document: RunDocument,
  jobsDir: string,
  folder: string,
): Promise<void> {
  const { run, rollouts, summary } = document;
  const job: HarborJob = { run, jobsDir, jobsUrl: pathToFileURL(jobsDir).href, uuidOf };
  const locks: Record<string, unknown>[] = [];
  let task: Task | null = null;
  // Samples of a task come in a row, so each task is read once; one trial at a time bounds the memory.
  for (const result of rollouts) {
    if (task?.taskId !== result.taskId) task = await readTask(store, run.runId, result.taskId);
    const trial = await readTrial(store, run.runId, task, result);
    await writeFiles(folder, trialFiles(job, trial));
    locks.push(trialLock(job, task, result.isolation));
  }
  await writeFiles(folder, jobFiles(job, rollouts, locks, summary));
}

async function writeFiles(folder: string, files: JobFiles): Promise<void> {
  for (const [path, content] of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
  }
}

/** A folder of the run's name is replaced only when it is a job of this run. */
async function refuseForeign(target: string, runId: string): Promise<void> {
  let config: unknown;
  try {
    config = JSON.parse(await readFile(join(target, 'config.json'), 'utf8'));
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT' && (await isEmptyOrMissing(target))) return;
  }
  if ((config as { job_name?: unknown } | undefined)?.job_name === runId) return;
  throw new LongrunError('already_exists', `${target} exists and is not the output of run ${runId}`, {
    hint: 'Choose another --output, or move that folder away.',
  });
}

async function isEmptyOrMissing(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((cause: unknown) => (errnoOf(cause) === 'ENOENT' ? [] : null));
  return names?.length === 0;
}

/** A name-based UUID (RFC 9562, version 8: SHA-256). */
function uuidOf(name: string): string {
  const hash = createHash('sha256').update(`longrun/${name}`).digest();
  hash.writeUInt8(((hash.readUInt8(6) & 0x0f) | 0x80) >>> 0, 6);
  hash.writeUInt8(((hash.readUInt8(8) & 0x3f) | 0x80) >>> 0, 8);
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}
