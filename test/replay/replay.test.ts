import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { installRuntime } from '../../src/worker/temporal-logger.js';
import { bundleOf, bundleOfEdited } from './bundles.js';

const FOLDER = fileURLToPath(new URL('./histories', import.meta.url));
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json.gz'));

interface Recorded {
  workflow_id: string;
  history: unknown;
}

function recorded(file: string): Recorded {
  return JSON.parse(gunzipSync(readFileSync(`${FOLDER}/${file}`)).toString('utf8')) as Recorded;
}

async function replay(workflowBundle: WorkflowBundleWithSourceMap, file: string): Promise<void> {
  const { workflow_id, history } = recorded(file);
  await Worker.runReplayHistory({ workflowBundle }, history, workflow_id);
}

let bundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  installRuntime(pino({ level: 'silent' }), null);
  bundle = await bundleOf();
});

describe('histories recorded from real runs', () => {
  it('exist for each workflow type and outcome class, with pause, cancel and retry', () => {
    expect(files.map((file) => file.replace('.json.gz', '')).sort()).toEqual([
      'evaluate-cancelled',
      'evaluate-finished',
      'evaluate-paused',
      'partition-cancelled',
      'partition-finished',
      'partition-paused',
      'rollout-agent',
      'rollout-cancelled',
      'rollout-infrastructure',
      'rollout-paused',
      'rollout-retried',
    ]);
  });

  it.each(files)('%s replays with the workflows as they are', async (file) => {
    await replay(bundle, file);
  });

  it('no longer replay once a step is added: the guard bites', async () => {
    const edited = await bundleOfEdited('workflows/attempt.ts', (source) =>
      source.replace("  progress.phase = 'placing';", "  progress.phase = 'placing';\n  await sleep(1);"),
    );
    await expect(replay(edited, 'rollout-agent.json.gz')).rejects.toThrow(DeterminismViolationError);
  });

  it('no longer replay once a step is left out', async () => {
    const edited = await bundleOfEdited('workflows/attempt.ts', (source) =>
      source.replace("place?.kind === 'placed'", "place?.kind === 'failed'"),
    );
    await expect(replay(edited, 'rollout-agent.json.gz')).rejects.toThrow(DeterminismViolationError);
  });
});

describe('the workflow bundle', () => {
  it('holds no zod and stays small', () => {
    const modules = bundle.code.split('\n//# sourceMappingURL')[0] ?? '';
    expect(modules).not.toMatch(/node_modules\/zod\//);
    expect(modules.length).toBeLessThan(1_500_000);
  });
});
