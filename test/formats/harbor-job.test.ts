import { describe, expect, it } from 'vitest';
import { atifTrajectory } from '../../src/formats/harbor-job/atif.js';
import { jobFiles, trialFiles } from '../../src/formats/harbor-job/job-files.js';
import { trialLock } from '../../src/formats/harbor-job/trial-config.js';
import type { HarborJob, TrialRecords } from '../../src/formats/harbor-job/trial-records.js';
import { summariseRun } from '../../src/records/summarise.js';
import type { RolloutResult } from '../../src/store/records/records.schema.js';
import { attemptOf, call, TOOLS, task, turns, verdict } from '../report/recorded-run.js';
import { lostResult, plan, result, runRecord } from '../store/fixtures.js';
import { atifProblems } from './atif-rules.js';

type Json = Record<string, never>;

const job: HarborJob = {
  run: runRecord(),
  jobsUrl: 'file:///jobs',
  jobsDir: '/jobs',
  uuidOf: (name) => `uuid-of-${name}`,
};
const PROMPT = [
  { role: 'system', content: 'You solve tasks.' },
  { role: 'user', content: 'Do it' },
] as const;

function trial(found: RolloutResult = result(), overrides: Partial<TrialRecords> = {}): TrialRecords {
  const steps = [{ name: 'main', prompt: PROMPT, tools: TOOLS, turns: turns(), verdict: verdict() }];
  return { task: task('t'), result: found, attempts: [attemptOf(found)], steps, ...overrides };
}

const read = (files: Map<string, string>, path: string): Json =>
  JSON.parse(files.get(path) ?? 'null') as Json;

describe('a trial in Harbor’s layout', () => {
  it('has configuration, lock, result, log, trajectory and what the verifier said', () => {
    expect([...trialFiles(job, trial()).keys()].sort()).toEqual([
      't__0/agent/trajectory.json',
      't__0/config.json',
      't__0/lock.json',
      't__0/result.json',
      't__0/trial.log',
      't__0/verifier/reward.txt',
      't__0/verifier/test-stdout.txt',
    ]);
  });

  it('is scored, counted and timed as it was', () => {
    expect(read(trialFiles(job, trial()), 't__0/result.json')).toMatchObject({
      id: 'uuid-of-r/t/0',
      task_name: 't',
      trial_uri: 'file:///jobs/r/t__0',
      agent_info: { name: 'longrun', model_info: { name: 'model', provider: 'some' } },
      agent_result: {
        n_input_tokens: 100,
        n_cache_tokens: 40,
        n_output_tokens: 10,
        cost_usd: 0.01,
        rollout_details: null,
      },
      verifier_result: { rewards: { reward: 1 } },
      verifier_environment_mode: 'separate',
      exception_info: null,
      started_at: '2023-11-14T22:13:20.000Z',
      environment_setup: { started_at: '2023-11-14T22:13:20.000Z', finished_at: '2023-11-14T22:13:20.500Z' },
      agent_execution: { finished_at: '2023-11-14T22:13:26.500Z' },
      verifier: { finished_at: '2023-11-14T22:13:27.500Z' },
      step_results: null,
    });
  });

  it('that was lost to infrastructure has an exception and no rewards: it is not a 0', () => {
    const lost = lostResult({ attempt: 2, attempts: 2 });
    const attempts = [attemptOf(lost, { attempt: 1 }), attemptOf(lost)];
    const files = trialFiles(job, trial(lost, { attempts, steps: [] }));
    expect(read(files, 't__0/result.json')).toMatchObject({
      verifier_result: null,
      exception_info: { exception_type: 'SandboxLostError', exception_message: 'the container is gone' },
    });
    expect(files.get('t__0/exception.txt')).toBe('SandboxLostError: the container is gone\n');
    expect(files.get('t__0/trial.log')).toMatch(/attempt 1 ended with sandbox_lost[\s\S]*attempt 2/);
  });

  it.each([
    ['wall_timeout', null, 'AgentTimeoutError'],
    ['llm_error', 'model_rate_limited', 'ApiRateLimitError'],
    ['llm_error', 'model_key_missing', 'AgentAuthenticationError'],
    ['llm_error', 'model_rejected', 'UnknownApiError'],
    ['verifier_timeout', null, 'VerifierTimeoutError'],
    ['cancelled', null, 'CancelledError'],
    ['max_turns', null, null],
  ] as const)('that ended with %s (%s) is %s to Harbor', (stopReason, code, type) => {
    const failure = code === null ? null : { code, message: 'm', retryable: false, hint: null };
    const files = trialFiles(job, trial(result({ stopReason, failure })));
    const { exception_info: exception } = read(files, 't__0/result.json') as { exception_info?: Json | null };
    expect(exception?.exception_type ?? null).toBe(type);
  });

  it('keeps several reward keys apart, in a file that can hold them', () => {
    const rewards = { reward: 0.5, style: 1 };
    const steps = [
      {
        name: 'main',
        prompt: PROMPT,
        tools: TOOLS,
        turns: turns(),
        verdict: verdict({ reward: 0.5, rewards }),
      },
    ];
    const files = trialFiles(job, trial(result({ reward: 0.5, rewards }), { steps }));
    expect(read(files, 't__0/verifier/reward.json')).toEqual(rewards);
    expect(files.has('t__0/verifier/reward.txt')).toBe(false);
    expect(read(files, 't__0/result.json')).toMatchObject({ verifier_result: { rewards } });
  });

  it('of several steps has a folder and a result for each', () => {
    const steps = ['one', 'two'].map((name) => ({
      name,
      prompt: PROMPT,
      tools: TOOLS,
      turns: turns(),
      verdict: verdict({ step: name }),
    }));
    const files = trialFiles(job, trial(result(), { task: task('t', ['one', 'two']), steps }));
    expect(files.has('t__0/steps/two/verifier/reward.txt')).toBe(true);
    expect(files.has('t__0/agent/trajectory.json')).toBe(false);
    expect(read(files, 't__0/result.json')).toMatchObject({
      verifier_environment_mode: null,
      step_results: [
        {
          step_name: 'one',
          agent_result: { n_input_tokens: 100 },
          verifier_result: { rewards: { reward: 1 } },
        },
        { step_name: 'two' },
      ],
    });
  });

  it('keeps sampled token ids where every turn has them', () => {
    const ids = { promptTokenIds: [1, 2], completionTokenIds: [3], logprobs: [-0.5] };
    const steps = [
      {
        name: 'main',
        prompt: PROMPT,
        tools: TOOLS,
        turns: [{ call: call(ids), results: [] }],
        verdict: null,
      },
    ];
    expect(read(trialFiles(job, trial(result(), { steps })), 't__0/result.json')).toMatchObject({
      agent_result: {
        rollout_details: [{ prompt_token_ids: [[1, 2]], completion_token_ids: [[3]], logprobs: [[-0.5]] }],
      },
    });
  });

  it('holds no name of an environment variable and no value of one', () => {
    const secret = { ...job, run: runRecord({}, { apiKeyEnv: 'MY_SECRET_VARIABLE' }) };
    expect([...trialFiles(secret, trial()).values()].join()).not.toContain('MY_SECRET_VARIABLE');
  });
});

describe('a trajectory in ATIF', () => {
  const atif = (found: TrialRecords) =>
    atifTrajectory(job.run, found, found.steps[0] as TrialRecords['steps'][number]);

  it('follows the rules of the format, whatever the agent did', () => {
    const step = { name: 'main', prompt: PROMPT, tools: TOOLS, turns: turns(), verdict: null };
    const cases = [
      step,
      { ...step, turns: turns('not json at all') },
      { ...step, turns: turns('[1, 2]') },
      { ...step, turns: [] },
      { ...step, prompt: [], tools: [], turns: [] },
    ];
    for (const one of cases) expect(atifProblems(atif(trial(result(), { steps: [one] })))).toEqual([]);
  });

  it('has calls with their results, metrics and reasoning at the agent’s steps', () => {
    expect(atif(trial())).toMatchObject({
      schema_version: 'ATIF-v1.7',
      agent: { name: 'longrun', tool_definitions: [{ type: 'function', function: { name: 'terminal' } }] },
      steps: [
        { step_id: 1, source: 'system' },
        { step_id: 2, source: 'user', message: 'Do it' },
        {
          step_id: 3,
          source: 'agent',
          reasoning_content: 'What is here?',
          tool_calls: [{ tool_call_id: 'c1', function_name: 'terminal', arguments: { command: 'ls' } }],
          observation: { results: [{ source_call_id: 'c1', content: 'notes.txt' }] },
          metrics: { prompt_tokens: 50, cached_tokens: 20, completion_tokens: 5, cost_usd: 0.005 },
        },
        { step_id: 4, message: 'Done.' },
      ],
      final_metrics: { total_prompt_tokens: 100, total_completion_tokens: 10, total_steps: 4 },
    });
  });

  it('has what the agent was told in between', () => {
    const corrections = [[{ role: 'user', content: 'Call a tool.', label: 'correction' } as const]];
    const step = { name: 'main', prompt: PROMPT, tools: TOOLS, turns: turns(), verdict: null, corrections };
    const { steps } = atif(trial(result(), { steps: [step] }));
    expect((steps as Json[]).map(({ source }) => source)).toEqual([
      'system',
      'user',
      'agent',
      'user',
      'agent',
    ]);
  });

  it('keeps arguments that are no object beside an empty one', () => {
    const steps = [
      { name: 'main', prompt: PROMPT, tools: TOOLS, turns: turns('{"command": ls'), verdict: null },
    ];
    const [, , agent] = atif(trial(result(), { steps })).steps as Json[];
    expect(agent?.tool_calls).toMatchObject([{ arguments: {}, extra: { raw_arguments: '{"command": ls' } }]);
  });
});

describe('a job in Harbor’s layout', () => {
  const results = [
    result({ taskId: 'a' }),
    result({ taskId: 'a', sample: 1, reward: 0, rewards: { reward: 0 } }),
    lostResult({ taskId: 'b', attempts: 3 }),
  ];
  const summary = summariseRun(job.run, plan({ a: 2, b: 2 }), results, new Map());
  const locks = results.map((found) => trialLock(job, task(found.taskId), found.isolation));
  const files = jobFiles(job, results, locks, summary);

  it('sums its trials up as Harbor does, and leaves failures out of the mean', () => {
    expect(read(files, 'result.json')).toMatchObject({
      n_total_trials: 4,
      finished_at: null,
      stats: {
        n_completed_trials: 3,
        n_errored_trials: 1,
        n_pending_trials: 1,
        n_retries: 2,
        evals: {
          longrun__model__tblite: {
            n_trials: 2,
            n_errors: 1,
            metrics: [{ mean: 0.5 }],
            pass_at_k: { '1': 0.5, '2': 1 },
            reward_stats: { reward: { '1': ['a__0'], '0': ['a__1'] } },
            exception_stats: { SandboxLostError: ['b__0'] },
          },
        },
      },
    });
  });

  it('names its times without a zone, as Harbor does, so that its viewer can sort them', () => {
    expect(read(files, 'result.json').started_at).toBe('2023-11-14T22:13:20.000');
  });

  it('has a lock with a digest per trial, and a line per trial in its log', () => {
    const lock = read(files, 'lock.json') as unknown as { trials: { task: { digest: string } }[] };
    expect(lock.trials.map((one) => one.task.digest)).toEqual(results.map(() => `sha256:${'c'.repeat(64)}`));
    expect(files.get('job.log')?.trim().split('\n')).toHaveLength(3);
    expect(read(files, 'config.json')).toMatchObject({
      job_name: 'r',
      n_attempts: 2,
      datasets: [{ name: 'tblite' }],
    });
  });
});
