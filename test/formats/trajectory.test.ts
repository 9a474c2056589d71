import { describe, expect, it } from 'vitest';
import type { TimeStep } from '../../src/core/trajectory/trajectory.schema.js';
import { trajectorySchema } from '../../src/core/trajectory/trajectory.schema.js';
import { assembleTrajectory, type RecordedStep, type TrajectoryInput } from '../../src/formats/trajectory.js';
import { fromWire, toWire } from '../../src/store/wire/wire.js';
import { attemptOf, call, TOOLS, task, toolResult, turns } from '../report/recorded-run.js';
import { lostResult, result } from '../store/fixtures.js';

const STEP: RecordedStep = {
  prompt: [
    { role: 'system', content: 'You solve tasks.' },
    { role: 'user', content: 'Do it', label: 'task' },
  ],
  tools: TOOLS,
  turns: turns(),
};

function input(overrides: Partial<TrajectoryInput> = {}): TrajectoryInput {
  return {
    rollout: { runId: 'r', taskId: 't', sample: 0 },
    task: task('t'),
    attempt: attemptOf(result({ reward: 0.5 })),
    steps: [STEP],
    model: 'some/model',
    seed: 7,
    ...overrides,
  };
}

const rolesOf = (step: TimeStep | undefined) =>
  step?.chats.flatMap((chat) => chat.messages.map((m) => m.role));

describe('the trajectory of an attempt', () => {
  it('has a time step per turn, each with what is new in it', () => {
    const { timesteps } = assembleTrajectory(input());
    expect(timesteps.map(rolesOf)).toEqual([['system', 'user', 'assistant', 'tool'], ['assistant']]);
    expect(timesteps.map((step) => step.availableToolSchemas?.length ?? null)).toEqual([1, null]);
  });

  it('holds what the agent was told after an unusable answer, where it was sent', () => {
    const correction = (content: string) => [{ role: 'user', content, label: 'correction' } as const];
    const corrections = [correction('Call a tool.'), correction('Nobody was sent this.')];
    const { timesteps } = assembleTrajectory(input({ steps: [{ ...STEP, corrections }] }));
    expect(timesteps.map(rolesOf)).toEqual([
      ['system', 'user', 'assistant', 'tool'],
      ['user', 'assistant'],
    ]);
    expect(timesteps[1]?.chats[0]?.messages[0]).toEqual({
      role: 'user',
      content: 'Call a tool.',
      label: 'correction',
    });
  });

  it('is rewarded and done at its last time step only', () => {
    const { timesteps, errorInfo } = assembleTrajectory(input());
    expect(timesteps.map(({ reward, done }) => [reward, done])).toEqual([
      [null, false],
      [0.5, true],
    ]);
    expect(errorInfo).toBeNull();
  });

  it('names its episode and what it was started with', () => {
    const found = assembleTrajectory(input());
    expect(found.episodeId).toBe('r/t/0/1');
    expect(found.resetKwargs).toMatchObject({ task: { task_id: 't' }, sample: 0, attempt: 1, seed: 7 });
  });

  it('begins each step of a task with that step’s prompt', () => {
    const step = (content: string) => ({
      prompt: [{ role: 'user', content } as const],
      tools: TOOLS,
      turns: turns(),
    });
    const { timesteps } = assembleTrajectory(input({ steps: [step('one'), step('two')] }));
    expect(timesteps.map(rolesOf).map((roles) => roles?.[0])).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(timesteps.filter((found) => found.done)).toHaveLength(1);
  });

  it('of an agent that said nothing is its prompt, rewarded', () => {
    const { timesteps } = assembleTrajectory(input({ steps: [{ ...STEP, turns: [] }] }));
    expect(timesteps.map(rolesOf)).toEqual([['system', 'user']]);
    expect(timesteps[0]).toMatchObject({ reward: 0.5, done: true });
  });

  it('that died before any turn says why instead', () => {
    const found = assembleTrajectory(input({ attempt: attemptOf(lostResult()), steps: [] }));
    expect(found.timesteps).toEqual([]);
    expect(found.errorInfo).toEqual({
      errorType: 'sandbox_gone',
      message: 'the container is gone',
      traceback: '',
    });
    expect(() => toWire(trajectorySchema, found)).not.toThrow();
  });

  it('that was cancelled keeps its turns and says so', () => {
    const cancelled = lostResult({ stopReason: 'cancelled', failureClass: 'operator', failure: null });
    const found = assembleTrajectory(input({ attempt: attemptOf(cancelled) }));
    expect(found.timesteps.at(-1)).toMatchObject({ reward: null, done: true });
    expect(found.errorInfo?.errorType).toBe('cancelled');
  });

  it('grows with the conversation and not with its square', () => {
    const long = (n: number): number => {
      const many = Array.from({ length: n }, () => ({
        call: call(),
        results: [toolResult({ content: 'x'.repeat(500) })],
      }));
      const found = assembleTrajectory(input({ steps: [{ ...STEP, turns: many }] }));
      return JSON.stringify(toWire(trajectorySchema, found)).length;
    };
    expect(long(200) / long(100)).toBeLessThan(2.1);
  });

  it('is on disk what the Python side reads', () => {
    const wire = toWire(trajectorySchema, assembleTrajectory(input())) as Record<string, never>;
    expect(Object.keys(wire).sort()).toEqual([
      'episode_id',
      'error_info',
      'reset_kwargs',
      'schema_version',
      'timesteps',
    ]);
    expect(wire).toMatchObject({
      timesteps: [
        {
          chats: [
            {
              messages: [
                { role: 'system', label: null },
                { role: 'user', label: 'task' },
                {
                  role: 'assistant',
                  reasoning: 'What is here?',
                  tool_calls: [
                    {
                      id: 'c1',
                      type: 'function',
                      function: { name: 'terminal', arguments: '{"command":"ls"}' },
                    },
                  ],
                },
                { role: 'tool', tool_call_id: 'c1', name: 'terminal', content: 'notes.txt' },
              ],
              logprobs: null,
              top_tokens: null,
              token_top_logprobs: null,
            },
          ],
          mc_return: null,
          available_tool_schemas: [{ type: 'function', function: { name: 'terminal' } }],
        },
        { done: true },
      ],
    });
    expect(fromWire(trajectorySchema, wire)).toEqual(assembleTrajectory(input()));
  });
});

describe('a trajectory file', () => {
  it.each([
    ['without chats', { timesteps: [{ chats: [] }] }, /timesteps\.0\.chats/],
    ['with a reward that is text', { timesteps: [{ reward: 'high' }] }, /timesteps\.0\.reward/],
    ['with an error of another kind', { error_info: 'broken' }, /error_info/],
    ['with neither time steps nor an error', { timesteps: [] }, /timesteps/],
  ])('%s is refused by name', (_, change, message) => {
    const wire = toWire(trajectorySchema, assembleTrajectory(input())) as { timesteps: object[] };
    const changed = change as { timesteps?: object[] };
    const timesteps =
      changed.timesteps?.map((step, i) => ({ ...wire.timesteps[i], ...step })) ?? wire.timesteps;
    expect(() => fromWire(trajectorySchema, { ...wire, ...change, timesteps }, 'trajectory.json')).toThrow(
      message,
    );
  });
});
