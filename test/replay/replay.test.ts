import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { installRuntime } from '../../src/worker/temporal-logger.js';
import * as workflows from '../../workflows/index.js';
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

// biome-ignore lint/suspicious/noExplicitAny: Temporal's own JSON.
function startOf(file: string): any {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  return (recorded(file).history as any).events[0].workflowExecutionStartedEventAttributes;
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

/** What each history tells of that no other does: the names of events, signals and activities in it. */
const PATHS: Record<string, string[]> = {
  'endpoint-carried': ['leaveEndpoint'],
  'endpoint-shared': ['renewEndpoint', 'leaveEndpoint'],
  'evaluate-amended': ['amended', 'concurrency', 'standing'],
  'evaluate-budget': ['WORKFLOW_PROPERTIES_MODIFIED', 'pause', 'amended'],
  'evaluate-budget-resumed': ['pause', 'resume', 'amended'],
  'evaluate-cancelled': ['WORKFLOW_EXECUTION_CANCELED'],
  'evaluate-finished': ['WORKFLOW_EXECUTION_COMPLETED'],
  'evaluate-group-held': ['WORKFLOW_PROPERTIES_MODIFIED', 'exhausted'],
  'evaluate-partitions': ['share', 'exhausted'],
  'evaluate-paused': ['pause', 'resume'],
  'group-cancelled': ['CHILD_WORKFLOW_EXECUTION_CANCELED', 'WORKFLOW_EXECUTION_CANCELED'],
  'group-closed': ['closeGroup', 'room', 'WORKFLOW_EXECUTION_COMPLETED'],
  'group-held': ['held', 'room', 'resume'],
  'group-late': ['TIMER_FIRED', 'CHILD_WORKFLOW_EXECUTION_CANCELED', 'closeGroup'],
  'group-paused': ['pause', 'resume'],
  'group-recovered': ['closeGroup', 'WORKFLOW_EXECUTION_COMPLETED'],
  'group-sealed': ['openGroup', 'WORKFLOW_EXECUTION_COMPLETED'],
  'group-served': ['openGroup', 'closeGroup', 'WORKFLOW_EXECUTION_COMPLETED'],
  'group-widened': ['share', 'room'],
  'partition-amended': ['standing', 'share'],
  'partition-budget': ['pause', 'standing', 'resume'],
  'partition-cancelled': ['CHILD_WORKFLOW_EXECUTION_CANCELED'],
  'partition-dead-groups': ['groupEnded', 'pause', 'resume'],
  'partition-dropped': ['orders', 'WORKFLOW_EXECUTION_COMPLETED'],
  'partition-finished': ['WORKFLOW_EXECUTION_COMPLETED'],
  'partition-group-held': ['held', 'share'],
  'partition-groups': ['room', 'groupEnded', 'WORKFLOW_EXECUTION_COMPLETED'],
  'partition-groups-cancelled': ['CHILD_WORKFLOW_EXECUTION_CANCELED'],
  'partition-groups-held': ['room', 'exhausted', 'resume'],
  'partition-groups-paused': ['pause', 'resume'],
  'partition-groups-widened': ['share', 'room'],
  'partition-paused': ['pause', 'resume'],
  'partition-shift': ['openPartition', 'WORKFLOW_EXECUTION_COMPLETED'],
  'process-cancelled': ['closeRun', 'WORKFLOW_EXECUTION_CANCELED'],
  'process-dead-groups': ['groupEnded', 'WORKFLOW_PROPERTIES_MODIFIED', 'pause', 'resume'],
  'process-finished': ['closeRun', 'WORKFLOW_EXECUTION_COMPLETED'],
  'process-group-held': ['WORKFLOW_PROPERTIES_MODIFIED', 'exhausted', 'amended'],
  'process-paused': ['pause', 'resume'],
  'replay-cancelled': ['closeReplay', 'WORKFLOW_EXECUTION_CANCELED'],
  'replay-finished': ['closeReplay', 'WORKFLOW_EXECUTION_COMPLETED'],
  'replay-paused': ['pause', 'resume'],
  'rollout-agent': ['destroySandbox', 'WORKFLOW_EXECUTION_COMPLETED'],
  'rollout-amended': ['WORKFLOW_EXECUTION_COMPLETED'],
  'rollout-cancelled': ['WORKFLOW_EXECUTION_CANCELED'],
  'rollout-group-held': ['held', 'TIMER_CANCELED'],
  'rollout-held-calling': ['TIMER_CANCELED', 'resume'],
  'rollout-held-placing': ['TIMER_CANCELED', 'resume'],
  'rollout-host-away': ['ACTIVITY_TASK_TIMED_OUT', 'hasOtherHost', 'destroySandbox'],
  'rollout-host-lost': ['ACTIVITY_TASK_TIMED_OUT', 'hasOtherHost', 'WORKFLOW_EXECUTION_COMPLETED'],
  'rollout-infrastructure': ['WORKFLOW_EXECUTION_COMPLETED'],
  'rollout-moved': ['ACTIVITY_TASK_TIMED_OUT', 'hasOtherHost', 'TIMER_FIRED', 'destroySandbox'],
  'rollout-paused': ['pause', 'resume'],
  'rollout-replay-cancelled': ['WORKFLOW_EXECUTION_CANCELED'],
  'rollout-replay-paused': ['pause', 'resume'],
  'rollout-replayed': ['WORKFLOW_EXECUTION_COMPLETED'],
  'rollout-retried': ['TIMER_FIRED'],
  'rollout-steps': ['verify', 'WORKFLOW_EXECUTION_COMPLETED'],
  'run-budget-carried': ['WORKFLOW_EXECUTION_COMPLETED'],
  'run-budget-finished': ['TIMER_CANCELED', 'WORKFLOW_EXECUTION_COMPLETED'],
  'run-budget-lapsed': ['TIMER_FIRED', 'WORKFLOW_EXECUTION_COMPLETED'],
  'run-budget-of-group': ['TIMER_CANCELED', 'WORKFLOW_EXECUTION_COMPLETED'],
  'serve-cancelled': ['runSink', 'endServing', 'closeSink', 'WORKFLOW_EXECUTION_CANCELED'],
  'serve-carried': ['allowance', 'finish', 'orders', 'endServing', 'WORKFLOW_EXECUTION_COMPLETED'],
  'serve-finished': ['allowance', 'orders', 'pause', 'resume', 'endServing', 'closeSink', 'closeRun'],
  'serve-sink-failed': ['ACTIVITY_TASK_FAILED', 'WORKFLOW_PROPERTIES_MODIFIED', 'resume', 'closeSink'],
};

describe('histories recorded from real runs', () => {
  it('exist for each workflow type', () => {
    const types = files.map((file) => startOf(file).workflowType.name);
    expect(new Set(types)).toEqual(new Set(Object.keys(workflows)));
  });

  it('exist for each outcome class and path, each small', () => {
    expect(files.map((file) => file.replace('.json.gz', '')).sort()).toEqual(Object.keys(PATHS).sort());
    for (const [name, path] of Object.entries(PATHS)) {
      const text = JSON.stringify(recorded(`${name}.json.gz`).history);
      expect(
        path.filter((step) => !text.includes(`"${step}"`) && !text.includes(`"EVENT_TYPE_${step}"`)),
        name,
      ).toEqual([]);
      expect(text.length, name).toBeLessThan(200_000);
    }
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

describe('a child that cannot be started', () => {
  it.each(['replay-finished', 'partition-finished', 'partition-groups', 'group-closed'])(
    'stops %s where it is: only one that was there already is taken for done',
    async (name) => {
      const edited = await bundleOfEdited('workflows/search-attributes.ts', (source) =>
        source.replace(
          'return [...runAttributes',
          "throw new TypeError('no such attribute');\n  return [...runAttributes",
        ),
      );
      await expect(replay(edited, `${name}.json.gz`)).rejects.toThrow('no such attribute');
    },
  );
});

describe('the workflow bundle', () => {
  it('holds no zod and stays small', () => {
    const modules = bundle.code.split('\n//# sourceMappingURL')[0] ?? '';
    expect(modules).not.toMatch(/node_modules\/zod\//);
    expect(modules.length).toBeLessThan(1_500_000);
  });
});
