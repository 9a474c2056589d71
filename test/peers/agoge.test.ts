import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  AREEvaluatedTrajectory,
  areEvaluatedTrajectorySchema,
  areRewardShaper,
} from '../../src/core/trajectory/are-evaluated.schema.js';
import { llmEvaluatedTrajectorySchema } from '../../src/core/trajectory/llm-evaluated.schema.js';
import { trajectorySchema } from '../../src/core/trajectory/trajectory.schema.js';
import { fromWire, toWire } from '../../src/store/wire/wire.js';
import { PARTS_TRAJECTORY } from '../core/trajectory/fixtures.js';
import { answerTest, inlineSteps, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { ModelServer, runs, says } from '../support/model-server.js';
import { runPeer } from './support/python.js';

// biome-ignore lint/suspicious/noExplicitAny: JSON as it stands on disk, to be broken at will.
type Wire = any;
type Kind = 'Trajectory' | 'LLMEvaluatedTrajectory' | 'AREEvaluatedTrajectory' | 'Task';
interface Case {
  name: string;
  kind: Kind;
  value: Wire;
}

/** What pydantic says of each: null, or why it is refused. */
async function verdicts(cases: Case[]): Promise<Record<string, string | null>> {
  const { exitCode, stdout, stderr } = await runPeer('agoge.py', [], JSON.stringify(cases));
  if (exitCode !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const UNICODE = 'naïve 日本語 👩🏽‍🚀 \u0000\u202e "quotes" \\ </tool_call>';
const SICK = {
  command: 'false',
  intervalMs: 20,
  timeoutMs: 2_000,
  startPeriodMs: 0,
  startIntervalMs: 20,
  retries: 1,
};

let files: { path: string; wire: Wire }[];

beforeAll(async () => {
  const host = await LongrunHost.start();
  const server = await ModelServer.start(({ turn }) =>
    turn < 2 ? runs(`mkdir -p /app; echo 42 > /app/answer; printf '%s' '日本語 👩🏽‍🚀'`) : says(UNICODE),
  );
  try {
    await host.startWorker();
    const step = { name: 'first', instruction: UNICODE, test: answerTest('42') };
    const tasks = [
      await inlineSteps({ taskId: 'unicode', steps: [step, { ...step, name: 'second' }] }),
      await inlineTask({ taskId: 'sick', test: answerTest('42'), step: { healthcheck: SICK } }),
    ];
    const { baseUrl } = server;
    const config = {
      agent: 'tool-calling',
      model: 'test-model',
      baseUrl,
      samples: 2,
      maxAttempts: 1,
    } as const;
    await host.plan('run', tasks, config);
    await host.finish('run');
    const names = await readdir(host.stateDir, { recursive: true });
    files = await Promise.all(
      names
        .filter((name) => name.endsWith('trajectory.json'))
        .map(async (path) => ({ path, wire: JSON.parse(await readFile(join(host.stateDir, path), 'utf8')) })),
    );
  } finally {
    await server.close();
    await host.stop();
  }
});

describe('agoge, as a Python program reads it', () => {
  it('accepts every trajectory of a run, also of rollouts that never got a sandbox', async () => {
    expect(files).toHaveLength(4);
    expect(files.filter(({ wire }) => wire.timesteps.length === 0 && wire.error_info !== null)).toHaveLength(
      2,
    );
    expect(JSON.stringify(files)).toContain(JSON.stringify(UNICODE).slice(1, -1));
    const found = await verdicts(
      files.map(({ path, wire }) => ({ name: path, kind: 'Trajectory', value: wire })),
    );
    expect(Object.values(found)).toEqual([null, null, null, null]);
  });

  it('accepts every kind of content, and both kinds of evaluation', async () => {
    const trajectory = fromWire(trajectorySchema, files.find(({ wire }) => wire.timesteps.length > 0)?.wire);
    const are = new AREEvaluatedTrajectory({
      ...trajectory,
      areEvaluation: {
        success: false,
        rationale: UNICODE,
        judgeModel: 'some/judge',
        oracleMatchingFailures: [{ event: 1, why: null }],
        duration: 45.2,
      },
    });
    const found = await verdicts([
      { name: 'parts', kind: 'Trajectory', value: toWire(trajectorySchema, PARTS_TRAJECTORY) },
      { name: 'are', kind: 'AREEvaluatedTrajectory', value: toWire(areEvaluatedTrajectorySchema, are) },
      {
        name: 'llm',
        kind: 'LLMEvaluatedTrajectory',
        value: toWire(llmEvaluatedTrajectorySchema, areRewardShaper(are)),
      },
    ]);
    expect(found).toEqual({ parts: null, are: null, llm: null });
  });

  it('refuses broken ones, so that its word is worth something, and so do we', async () => {
    const good: Wire = files.find(({ wire }) => wire.timesteps.length > 0)?.wire;
    const first = (change: object) => ({
      ...good,
      timesteps: [{ ...good.timesteps[0], ...change }, ...good.timesteps.slice(1)],
    });
    const cases: Case[] = [
      { name: 'no chats', kind: 'Trajectory', value: first({ chats: [] }) },
      { name: 'string reward', kind: 'Trajectory', value: first({ reward: '0.5' }) },
      { name: 'error_info of another type', kind: 'Trajectory', value: { ...good, error_info: 'broken' } },
      {
        name: 'error_info with a number',
        kind: 'Trajectory',
        value: { ...good, error_info: { error_type: 'E', message: 'm', traceback: 3 } },
      },
      { name: 'no timesteps', kind: 'Trajectory', value: { ...good, timesteps: [], error_info: null } },
      { name: 'no are_evaluation', kind: 'AREEvaluatedTrajectory', value: good },
      {
        name: 'are_evaluation without success',
        kind: 'AREEvaluatedTrajectory',
        value: { ...good, are_evaluation: { rationale: 'r', judge_model: 'm', duration: 1 } },
      },
    ];
    const found = await verdicts(cases);
    expect(Object.entries(found).filter(([, why]) => why === null)).toEqual([]);
    for (const { name, kind, value } of cases) {
      const schema = kind === 'Trajectory' ? trajectorySchema : areEvaluatedTrajectorySchema;
      expect(() => fromWire(schema, value, name), name).toThrow(`${name} is not valid`);
    }
  });
});
