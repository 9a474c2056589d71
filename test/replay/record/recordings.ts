import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, it } from 'vitest';
import { keys } from '../../../src/store/keys.js';
import { answerTest, inlineTask } from '../../support/inline-task.js';
import { LongrunHost } from '../../support/longrun-host.js';
import { until } from '../../support/until.js';

const FOLDER = fileURLToPath(new URL('../histories', import.meta.url));
/** Histories of older versions then stay as they are: they prove that what is open goes on. */
const onlyMissing = process.env.LONGRUN_RECORD === 'missing';

const fileOf = (name: string) => `${FOLDER}/${name}.json.gz`;

/** Workflow ids by the name under which their histories are kept; asked for when they are known. */
export type Histories = Record<string, string | (() => string)>;
export type Recording = (
  title: string,
  histories: Histories,
  make: (host: LongrunHost) => Promise<unknown>,
) => void;

/** Recordings that share a real server and its workers: `make` does what the histories then tell of. */
export function recordingsOn(startWorkers: (host: LongrunHost) => Promise<unknown>): Recording {
  let host: LongrunHost;
  beforeAll(async () => {
    mkdirSync(FOLDER, { recursive: true });
    host = await LongrunHost.start();
    await startWorkers(host);
  });
  afterAll(() => host?.stop());
  return (title, histories, make) => {
    const wanted = Object.entries(histories).filter(([name]) => !onlyMissing || !existsSync(fileOf(name)));
    it.skipIf(wanted.length === 0)(title, async () => {
      await make(host);
      for (const [name, id] of wanted) await keep(host, name, typeof id === 'string' ? id : id());
    });
  };
}

async function keep(host: LongrunHost, name: string, workflowId: string): Promise<void> {
  const history = await host.client.workflow.getHandle(workflowId).fetchHistory();
  const text = JSON.stringify({ workflow_id: workflowId, history: JSON.parse(historyToJSON(history)) });
  writeFileSync(fileOf(name), gzipSync(text, { level: 9 }));
}

export const SLOW = { agent: 'tool-calling', model: 'scripted/turns-30-delay-100ms' } as const;

export const task = (taskId: string, test = answerTest('42')) => inlineTask({ taskId, test });

/** The first sample of task `one` has taken so many turns. */
export async function takenTurns(
  host: LongrunHost,
  runId: string,
  least: number,
  attempt = 1,
): Promise<void> {
  const key = { runId, taskId: 'one', sample: 0, attempt };
  await until(async () => (await host.store.children(keys.turns(key, 0))).length >= least);
}

/** The workflow has ended. */
export async function closed(host: LongrunHost, workflowId: string): Promise<void> {
  const handle = host.client.workflow.getHandle(workflowId);
  await until(async () => (await handle.describe()).status.name !== 'RUNNING', {
    limitMs: 110_000,
    what: `${workflowId} is closed`,
  });
}
