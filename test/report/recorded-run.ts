import type { ChatMessage, ToolSchema } from '../../src/core/model/messages.js';
import { type Task, taskSchema } from '../../src/core/rollout/task.schema.js';
import { trajectorySchema } from '../../src/core/trajectory/trajectory.schema.js';
import { assembleTrajectory, type RecordedTurn } from '../../src/formats/trajectory.js';
import { keys } from '../../src/store/keys.js';
import { writeRecord } from '../../src/store/records/records.js';
import {
  type AttemptRecord,
  attemptRecordSchema,
  type CallRecord,
  callRecordSchema,
  planSchema,
  type RolloutResult,
  rolloutResultSchema,
  runRecordSchema,
  type ToolResult,
  toolResultSchema,
  type Verdict,
  verdictSchema,
} from '../../src/store/records/records.schema.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { plan, runRecord } from '../store/fixtures.js';

export const TOOLS: ToolSchema[] = [
  {
    name: 'terminal',
    description: 'Runs a command',
    parameters: { type: 'object', properties: { command: { type: 'string' } } },
  },
];

export function task(
  taskId: string,
  stepNames: string[] = ['main'],
  category: string | null = 'file_ops',
): Task {
  const blob = { sha256: '0'.repeat(64), bytes: 10 };
  return {
    schemaVersion: 1,
    taskId,
    inputs: { instruction: `Do ${taskId}` },
    evalCriteria: {
      stepReward: 'mean',
      steps: stepNames.map((name) => ({
        name,
        instruction: `Do ${taskId} ${name}`,
        agentTimeoutMs: 60_000,
        agentUser: null,
        verifier: {
          isolation: 'separate',
          timeoutMs: 1_000,
          user: null,
          env: {},
          sandbox: null,
          collect: [],
          tests: blob,
        },
        minReward: null,
        healthcheck: null,
        artifacts: [],
        workdirFiles: null,
        solution: null,
        solutionEnv: {},
      })),
    },
    metadata: {
      sandbox: {
        image: { kind: 'image', name: 'debian:bookworm-slim' },
        cpus: 1,
        memoryMb: 512,
        storageMb: null,
        network: 'none',
        env: {},
        workdir: null,
        healthcheck: null,
      },
      category,
      difficulty: 'easy',
      source: { kind: 'harbor', path: `/tasks/${taskId}`, name: null, digest: 'c'.repeat(64) },
      tags: ['unix'],
    },
  };
}

export function call(overrides: Partial<CallRecord> = {}): CallRecord {
  return {
    schemaVersion: 1,
    callId: 'call',
    model: 'some/model-1',
    requestId: null,
    finishReason: 'tool_calls',
    message: { content: 'I look around.', reasoning: 'What is here?', toolCalls: [] },
    usage: { promptTokens: 50, cachedTokens: 20, completionTokens: 5 },
    costUsd: 0.005,
    latencyMs: 1_000,
    startedAt: 1_700_000_001_000,
    promptTokenIds: null,
    completionTokenIds: null,
    logprobs: null,
    sentView: null,
    parsed: null,
    sequenceId: null,
    policyVersion: null,
    rendering: null,
    ...overrides,
  };
}

export function toolResult(overrides: Partial<ToolResult> = {}): ToolResult {
  return {
    schemaVersion: 1,
    toolCallId: 'c1',
    name: 'terminal',
    content: 'notes.txt',
    success: true,
    error: null,
    exitCode: 0,
    durationMs: 12,
    startedAt: 1_700_000_002_000,
    ...overrides,
  };
}

/** Two turns: a tool call (its arguments as the model wrote them) and a closing answer. */
export function turns(args = '{"command":"ls"}', reply: Partial<ToolResult> = {}): RecordedTurn[] {
  const toolCalls = [{ id: 'c1', name: 'terminal', arguments: args }];
  return [
    {
      call: call({ message: { content: 'I look around.', reasoning: 'What is here?', toolCalls } }),
      results: [toolResult(reply)],
    },
    {
      call: call({ finishReason: 'stop', message: { content: 'Done.', reasoning: null, toolCalls: [] } }),
      results: [],
    },
  ];
}

export function verdict(overrides: Partial<Verdict> = {}): Verdict {
  return {
    schemaVersion: 1,
    step: 'main',
    reward: 1,
    rewards: { reward: 1 },
    isolation: 'separate',
    failure: null,
    stopReason: null,
    suspectedTampering: [],
    trusted: [],
    testOutput: '3 passed\n',
    durationMs: 900,
    verifiedAt: 1_700_000_009_000,
    ...overrides,
  };
}

export function attemptOf(result: RolloutResult, overrides: Partial<AttemptRecord> = {}): AttemptRecord {
  const {
    attempt,
    stopReason,
    failure,
    reward,
    rewards,
    turns: n,
    lostCalls,
    failedCalls,
    usage,
    costUsd,
  } = result;
  const { timings, isolation, suspectedTampering } = result;
  const counted = {
    attempt,
    stopReason,
    failure,
    reward,
    rewards,
    turns: n,
    lostCalls,
    failedCalls,
    usage,
    costUsd,
  };
  return {
    schemaVersion: 1,
    ...counted,
    steps: [],
    timings,
    hostId: 'host',
    isolation,
    suspectedTampering,
    trusted: result.trusted,
    policyVersion: null,
    replay: null,
    ...overrides,
  };
}

export interface RecordedRollout {
  result: RolloutResult;
  /** Per step. */
  turns?: RecordedTurn[][];
  verdicts?: (Verdict | null)[];
  earlier?: AttemptRecord[];
}

const promptOf = (instruction: string): ChatMessage[] => [
  { role: 'system', content: 'You solve tasks.' },
  { role: 'user', content: instruction, label: 'task' },
];

/** A run in a store, as workers would have left it. */
export async function recordRun(
  store: ArtifactStore,
  tasks: Task[],
  rollouts: RecordedRollout[],
): Promise<void> {
  const samples = (taskId: string): number => rollouts.filter((one) => one.result.taskId === taskId).length;
  await writeRecord(store, runRecordSchema, keys.run('r'), runRecord());
  const planned = plan(Object.fromEntries(tasks.map(({ taskId }) => [taskId, samples(taskId)])));
  await writeRecord(store, planSchema, keys.plan('r'), planned);
  for (const one of tasks) await writeRecord(store, taskSchema, keys.task('r', one.taskId), one);
  for (const rollout of rollouts) {
    const found = tasks.find(({ taskId }) => taskId === rollout.result.taskId) as Task;
    await recordRollout(store, found, rollout);
  }
}

async function recordRollout(store: ArtifactStore, found: Task, rollout: RecordedRollout): Promise<void> {
  const { result, turns: steps = [], verdicts = [], earlier = [] } = rollout;
  const key = { runId: 'r', taskId: result.taskId, sample: result.sample };
  const attempt = attemptOf(result);
  for (const record of [...earlier, attempt]) {
    await writeRecord(
      store,
      attemptRecordSchema,
      keys.attemptRecord({ ...key, attempt: record.attempt }),
      record,
    );
  }
  const attemptKey = { ...key, attempt: result.attempt };
  for (const [step, recorded] of steps.entries()) {
    for (const [turn, { call: answer, results }] of recorded.entries()) {
      await writeRecord(store, callRecordSchema, keys.call(attemptKey, step, turn), answer);
      for (const [i, one] of results.entries()) {
        await writeRecord(store, toolResultSchema, keys.toolResult(attemptKey, step, turn, i), one);
      }
    }
  }
  for (const [step, one] of verdicts.entries()) {
    if (one) await writeRecord(store, verdictSchema, keys.verdict(attemptKey, step), one);
  }
  const trajectory = assembleTrajectory({
    rollout: key,
    task: found,
    attempt,
    model: result.model,
    seed: null,
    steps: steps.map((recorded, i) => ({
      prompt: promptOf(found.evalCriteria.steps[i]?.instruction ?? ''),
      tools: TOOLS,
      turns: recorded,
    })),
  });
  await writeRecord(store, trajectorySchema, keys.trajectory(key), trajectory);
  await writeRecord(store, rolloutResultSchema, keys.result(key), result);
}
