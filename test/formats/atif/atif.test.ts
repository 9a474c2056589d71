import { describe, expect, it } from 'vitest';
import { episodeSchema } from '../../../src/core/trajectory/episode.schema.js';
import { atifFormat } from '../../../src/formats/atif/atif-format.js';
import { episodeFromAtif } from '../../../src/formats/atif/read-atif.js';
import { call, turns } from '../../report/recorded-run.js';
import { lostResult, result } from '../../store/fixtures.js';
import { atifProblems } from '../atif-rules.js';
import { exportContext, PROMPT, recordedEpisode, recordedStep } from '../recorded-episode.js';

type Json = Record<string, unknown>;

const HERE = { file: '/x/r__t__0.json', line: 1 };
const written = (episode = recordedEpisode()) => atifFormat.rows([episode], exportContext());
const document = (episode = recordedEpisode()) => written(episode).rows[0]?.value as Json & { steps: Json[] };

/** A turn whose answer called nothing, and the one after it. */
const corrected = recordedStep({
  turns: [
    { call: call({ message: { content: '', reasoning: null, toolCalls: [] } }), results: [] },
    ...turns(),
  ],
  corrections: [[{ role: 'user', content: 'Your answer was empty.', label: 'correction' }]],
});

describe('a rollout written as ATIF', () => {
  it('is one file, named by its session, that follows the rules of the format', () => {
    expect(written().rows.map(({ file }) => file)).toEqual(['r__t__0.json']);
    for (const steps of [
      [recordedStep()],
      [recordedStep({ turns: turns('not json at all') })],
      [recordedStep({ name: 'one' }), recordedStep({ name: 'two' })],
      [corrected],
      [recordedStep({ turns: [] })],
    ])
      expect(atifProblems(document(recordedEpisode(steps)))).toEqual([]);
  });

  it('has the steps of a task one after the other', () => {
    const { steps } = document(
      recordedEpisode([recordedStep({ name: 'one' }), recordedStep({ name: 'two' })]),
    );
    expect(steps.map(({ source, extra }) => [source, (extra as Json | undefined)?.task_step ?? 0])).toEqual([
      ['system', 0],
      ['user', 0],
      ['agent', 0],
      ['agent', 0],
      ['system', 1],
      ['user', 1],
      ['agent', 1],
      ['agent', 1],
    ]);
  });

  it('holds what the agent was told in between', () => {
    expect(document(recordedEpisode([corrected])).steps[3]).toEqual({
      step_id: 4,
      source: 'user',
      message: 'Your answer was empty.',
      extra: { label: 'correction' },
    });
  });

  it('says in extra where it belongs and how it was judged', () => {
    expect(document().extra).toMatchObject({
      run_id: 'r',
      task_id: 't',
      sample: 0,
      stop_reason: 'natural',
      reward: 1,
      passed: true,
      rewards: [{ source: 'environment', quality: 'high', value: 1 }],
    });
  });

  it('without a single message is refused by name: the format wants a step', () => {
    const lost = recordedEpisode([], lostResult());
    expect(written(lost)).toEqual({
      rows: [],
      refused: [
        { sessionId: 'r__t__0', code: 'no_turns', reason: expect.stringContaining('the container is gone') },
      ],
    });
  });
});

describe('ATIF read back', () => {
  it.each([
    ['two turns', recordedEpisode()],
    ['a correction', recordedEpisode([corrected])],
    ['arguments that are no object', recordedEpisode([recordedStep({ turns: turns('{"command": ls') })])],
    [
      'a failed call',
      recordedEpisode([
        recordedStep({ turns: turns(undefined, { success: false, error: 'timeout', exitCode: null }) }),
      ]),
    ],
    [
      'sampled ids',
      recordedEpisode([
        recordedStep({
          turns: [
            {
              call: call({ promptTokenIds: [1, 2], completionTokenIds: [3], logprobs: [-0.5] }),
              results: [],
            },
          ],
        }),
      ]),
    ],
    ['an unscored end', recordedEpisode(undefined, result({ reward: null, stopReason: 'cancelled' }))],
  ])('is the same episode: %s', (_, episode) => {
    const { trajectory, turns: read, rewards, outcome, rollout } = episodeFromAtif(document(episode), HERE);
    expect(trajectory.timesteps).toEqual(episode.trajectory.timesteps);
    expect(read).toEqual(episode.turns.map((turn) => ({ ...turn, requestId: null, policyVersion: null })));
    expect({ rewards, outcome, rollout }).toEqual({
      rewards: episode.rewards,
      outcome: episode.outcome,
      rollout: episode.rollout,
    });
  });

  it('keeps the steps of a task apart, with ids that are unique in the rollout', () => {
    const two = recordedEpisode([recordedStep({ name: 'one' }), recordedStep({ name: 'two' })]);
    const { trajectory, turns: read } = episodeFromAtif(document(two), HERE);
    expect(read.map(({ step }) => step)).toEqual([0, 0, 1, 1]);
    expect(read[2]?.results[0]?.toolCallId).toBe('c1_7');
    expect(trajectory.timesteps.map((step) => step.chats[0]?.messages.map(({ role }) => role))).toEqual(
      two.trajectory.timesteps.map((step) => step.chats[0]?.messages.map(({ role }) => role)),
    );
  });

  it('is an episode by its schema', () => {
    expect(episodeSchema.safeParse(episodeFromAtif(document(), HERE)).success).toBe(true);
  });

  it('of another agent keeps ids apart, pairs results without an id by place, and keeps stray output', () => {
    const call = (text: string) => ({ tool_call_id: 'call_0', function_name: 'shell', arguments: { text } });
    const foreign = {
      schema_version: 'ATIF-v1.0',
      session_id: 'a b/c',
      agent: { name: 'terminus-2', version: '2.0', model_name: 'm' },
      steps: [
        { step_id: 1, source: 'user', message: PROMPT[1].content },
        {
          step_id: 2,
          source: 'agent',
          message: 'one',
          timestamp: '2026-01-02T03:04:05Z',
          tool_calls: [call('a')],
          observation: { results: [{ content: 'A' }] },
        },
        {
          step_id: 3,
          source: 'agent',
          message: 'two',
          tool_calls: [call('b')],
          observation: { results: [{ source_call_id: 'call_0', content: 'B' }, { content: 'screen' }] },
        },
        { step_id: 4, source: 'agent', message: 'done' },
      ],
      extra: { benchmark: 'tb2' },
    };
    const episode = episodeFromAtif(foreign, { file: 'trajectory.json', line: 1 });
    expect(episode).toMatchObject({
      sessionId: 'a_b_c',
      model: 'm',
      agent: { name: 'terminus-2' },
      startedAt: Date.parse('2026-01-02T03:04:05Z'),
      metadata: { benchmark: 'tb2' },
      outcome: { completed: true, stopReason: 'natural', apiCalls: 3 },
      rewards: [],
    });
    const messages = episode.trajectory.timesteps.map((step) =>
      step.chats[0]?.messages.map((message) => [message.role, message.content]),
    );
    expect(messages).toEqual([
      [
        ['user', 'Do it'],
        ['assistant', 'one'],
        ['tool', 'A'],
      ],
      [
        ['assistant', 'two'],
        ['tool', 'B'],
      ],
      [
        ['user', 'screen'],
        ['assistant', 'done'],
      ],
    ]);
    const ids = episode.trajectory.timesteps
      .flatMap((step) => step.chats[0]?.messages ?? [])
      .flatMap((message) => (message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : []));
    expect(ids).toEqual(['call_0', 'call_0_3']);
  });

  it.each([
    [
      'a later version',
      { schema_version: 'ATIF-v1.8' },
      /schema_version: accepted: ATIF-v1\.0 to ATIF-v1\.7/,
    ],
    ['no steps', { steps: [] }, /at steps/],
    ['a step of nobody', { steps: [{ step_id: 1, source: 'robot', message: '' }] }, /at steps\.0\.source/],
    ['no agent', { agent: undefined }, /at agent/],
  ])('refuses %s by name', (_, change, message) => {
    expect(() => episodeFromAtif({ ...document(), ...change }, HERE)).toThrow(message);
  });
});
